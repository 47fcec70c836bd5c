# Two captures of the same packets, merged.
if(DISTSNIFF_TESTS)
  find_program(TCPDUMP tcpdump)
  find_program(EDITCAP editcap)
  if(TCPDUMP AND EDITCAP AND EXISTS ${CMAKE_SOURCE_DIR}/pcaps/two-point-a.pcap)
    add_test(NAME points_together
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/points/run $<TARGET_FILE:distsniff>
                     ${CMAKE_SOURCE_DIR}/pcaps)
  endif()
endif()
