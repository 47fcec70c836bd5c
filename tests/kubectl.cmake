# The kubectl plugin.
if(DISTSNIFF_TESTS)
  add_test(NAME kubectl COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/kubectl/run $<TARGET_FILE:distsniff>
                                ${CMAKE_SOURCE_DIR}/packaging/kubectl/kubectl-distsniff ${PCAPS})
endif()
