# Terms that a real node makes, as our text and our copy, read back by that node.
if(DISTSNIFF_TESTS)
  find_program(ESCRIPT escript REQUIRED)
  add_executable(term_tool terms/term_tool.c)
  target_include_directories(term_tool PRIVATE ${CMAKE_SOURCE_DIR}/dissect)
  target_link_libraries(term_tool PRIVATE libdistsniff)
  add_test(NAME terms_read_back
           COMMAND ${ESCRIPT} ${CMAKE_CURRENT_SOURCE_DIR}/terms/read_back.escript
                   $<TARGET_FILE:term_tool>)
endif()
