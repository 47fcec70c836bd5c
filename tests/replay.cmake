# A recorded connection played again: by two escripts, to nodes, to a C node.
foreach(scenario self acceptor initiator names cookie changed cnode erl_call hidden refused odd
        no_epmd)
  release_test(replay_${scenario} 2 600 ${CMAKE_CURRENT_SOURCE_DIR}/live/replay ${scenario}
               $<TARGET_FILE:distsniff> ${PCAPS} ${ERL_DIR} $<TARGET_FILE:cnode>)
endforeach()
