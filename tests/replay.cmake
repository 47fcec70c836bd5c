# A recorded connection played again: by two escripts, to nodes, to a C node. They wait for each
# other.
foreach(scenario self acceptor initiator names cookie changed cnode erl_call hidden refused no_epmd)
  release_test(replay_${scenario} 2 600 ${CMAKE_CURRENT_SOURCE_DIR}/live/replay ${scenario}
               $<TARGET_FILE:distsniff> ${PCAPS} ${ERL_DIR} $<TARGET_FILE:cnode>)
  mostly_waits(replay_${scenario})
endforeach()
newest_alone(replay_self replay_erl_call)

# A peer that sends bytes of its own, and how long the escript waits for it: the same with each
# release; the other tests show that each release runs it.
add_test(NAME replay_odd COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/replay odd $<TARGET_FILE:distsniff>
         ${PCAPS} ${ERL_DIR} $<TARGET_FILE:cnode>)
set_tests_properties(replay_odd PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
mostly_waits(replay_odd)
