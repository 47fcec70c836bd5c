# The share of messages without a label.
foreach(capture_and_percent rabbit-3.10.pcap.gz:7 elixir-1.14.pcap.gz:10 otp27-ops.pcap:30
        otp29-ops.pcap:36)
  string(REPLACE ":" ";" pair ${capture_and_percent})
  list(GET pair 0 capture)
  list(GET pair 1 percent)
  add_test(NAME labels_${capture}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/labels/run $<TARGET_FILE:distsniff>
                   ${PCAPS}/${capture} ${percent})
endforeach()

# Rows of otp.def that no capture shows.
add_test(NAME labels_seen COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/labels/seen
                                  $<TARGET_FILE:distsniff> ${PCAPS})
