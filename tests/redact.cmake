# --redact: no output contains a secret, and all shapes are kept.
add_test(NAME redact COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/redact $<TARGET_FILE:distsniff>
                            ${ERL_DIR} ${PCAPS} $<TARGET_FILE:mangle>)
foreach(capture otp25.pcap secrets.pcap.gz names.pcap)
  erl_check(redacted_${capture} redacted node ${PCAPS}/${capture})
endforeach()
foreach(capture otp27-ops.pcap otp29-ops.pcap cnode.pcap)
  erl_check(redacted_${capture} redacted etf ${PCAPS}/${capture})
endforeach()
