# The correlation in a thread before the relay and in one behind it gives the same.
if(DISTSNIFF_TESTS)
  file(GLOB captures ${CMAKE_SOURCE_DIR}/pcaps/*.pcap ${CMAKE_SOURCE_DIR}/pcaps/*.pcap.gz)
  add_test(NAME behind_the_relay
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/behind $<TARGET_FILE:distsniff>
                   ${captures})
endif()
