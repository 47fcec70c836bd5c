# One writing thread, and several; the same under ThreadSanitizer (preset thread).
if(DISTSNIFF_TESTS)
  foreach(capture otp29-ops.pcap frag-29.pcap links-sll2.pcap rabbit-3.10.pcap.gz)
    list(APPEND jobs_captures ${CMAKE_SOURCE_DIR}/pcaps/${capture})
  endforeach()
  add_test(NAME jobs COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/jobs $<TARGET_FILE:distsniff>
                             ${jobs_captures})
endif()
