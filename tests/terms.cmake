# Terms that a real node makes, as our text, source text and copy, read back by that node.
if(DISTSNIFF_TESTS)
  add_executable(term_tool terms/term_tool.c)
  target_include_directories(term_tool PRIVATE ${CMAKE_SOURCE_DIR}/dissect)
  target_link_libraries(term_tool PRIVATE libdistsniff)
  add_test(NAME terms_read_back
           COMMAND ${ERL} -noinput +fnu -pa ${ERL_DIR} -run read_back main
                   $<TARGET_FILE:term_tool>)
  add_test(NAME terms_code_back
           COMMAND ${ERL} -noinput +fnu -pa ${ERL_DIR} -run code_back main
                   $<TARGET_FILE:term_tool> ${ELIXIR}
                   ${CMAKE_CURRENT_SOURCE_DIR}/terms/code_back.exs)
  # The same terms as Elixir writes them: the Elixir here, and another one that wrote a file.
  add_test(NAME terms_inspect
           COMMAND ${ELIXIR} ${CMAKE_CURRENT_SOURCE_DIR}/terms/inspect.exs $<TARGET_FILE:term_tool>)
  set_tests_properties(terms_inspect PROPERTIES COST 90) # it takes two minutes: it must not start last
  add_test(NAME terms_inspect_captured
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/inspected $<TARGET_FILE:distsniff>
                   $<TARGET_FILE:term_tool> ${ELIXIR}
                   ${CMAKE_CURRENT_SOURCE_DIR}/terms/inspect.exs ${PCAPS})
  add_test(NAME terms_inspect_golden
           COMMAND ${ERL} -noinput +fnu -pa ${ERL_DIR} -run inspect_golden main
                   $<TARGET_FILE:term_tool> ${CMAKE_CURRENT_SOURCE_DIR}/terms/inspect.golden)
  # The notebook of -T livemd, run over its data.
  add_test(NAME notebook
           COMMAND ${ELIXIR} ${CMAKE_CURRENT_SOURCE_DIR}/terms/notebook.exs
                   $<TARGET_FILE:distsniff> ${PCAPS} ${ERL_DIR}
                   ${CMAKE_CURRENT_BINARY_DIR}/notebook)
endif()
# Patterns of -m over terms, compared with a node's clauses.
if(DISTSNIFF_TESTS)
  add_executable(match_tool terms/match_tool.c)
  target_include_directories(match_tool PRIVATE ${CMAKE_SOURCE_DIR}/dissect)
  target_link_libraries(match_tool PRIVATE libdistsniff)
  foreach(seed 1 2)
    add_test(NAME terms_match_${seed}
             COMMAND ${ESCRIPT} ${CMAKE_CURRENT_SOURCE_DIR}/terms/match.escript
                     $<TARGET_FILE:match_tool> ${seed})
  endforeach()
  add_test(NAME terms_match_elixir
           COMMAND ${ELIXIR} ${CMAKE_CURRENT_SOURCE_DIR}/terms/match.exs $<TARGET_FILE:match_tool>)
endif()
