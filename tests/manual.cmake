# The examples of the manual page.
add_test(NAME manual COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/manual $<TARGET_FILE:distsniff>
                             ${CMAKE_SOURCE_DIR}/man/distsniff.1.in ${PCAPS})
