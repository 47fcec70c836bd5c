# A recorded connection played again: by two escripts, to nodes, to a C node.
foreach(scenario self acceptor initiator names cookie changed cnode erl_call hidden refused odd
        no_epmd)
  add_test(NAME replay_${scenario}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/replay ${scenario} $<TARGET_FILE:distsniff>
                   ${PCAPS} ${ERL_DIR} $<TARGET_FILE:cnode>)
  set_tests_properties(replay_${scenario} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 180)
endforeach()
