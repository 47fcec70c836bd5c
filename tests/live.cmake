# Real nodes on a network of their own, with distsniff looking on.
add_executable(cnode live/cnode.c)
target_include_directories(cnode PRIVATE ${EI_INCLUDE})
target_compile_definitions(cnode PRIVATE _REENTRANT)
target_link_libraries(cnode PRIVATE ${EI_LIBRARY} Threads::Threads)

foreach(scenario nodes any late cnode)
  add_test(NAME live_${scenario}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/run ${scenario} $<TARGET_FILE:distsniff>
                   ${ERL_DIR} $<TARGET_FILE:cnode>)
  set_tests_properties(live_${scenario} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)
endforeach()

# Calls of every kind and outcome, each against what its caller saw.
add_test(NAME live_calls COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/calls $<TARGET_FILE:distsniff>
                                 ${ERL_DIR})
set_tests_properties(live_calls PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)

# Patterns of -m over calls of every kind, as they happen.
add_test(NAME live_match COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/match $<TARGET_FILE:distsniff>
                                 ${ERL_DIR})
set_tests_properties(live_match PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)

# What processes are called, live and from a capture of the same.
add_test(NAME live_names COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/names $<TARGET_FILE:distsniff>
                                 ${ERL_DIR})
erl_check(names naming_check ${PCAPS}/names.pcap)
set_tests_properties(live_names PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)

# Every way in which a live capture ends.
add_test(NAME live_ends COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/ends $<TARGET_FILE:distsniff>
                                ${ERL_DIR} ${PCAPS})
set_tests_properties(live_ends PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 180)

# Fixtures made while the nodes talk.
add_test(NAME live_fixture COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/fixture
                                   $<TARGET_FILE:distsniff> ${ERL_DIR})
set_tests_properties(live_fixture PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)
