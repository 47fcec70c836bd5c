# Real nodes in a network of their own, captured live by distsniff.
add_executable(cnode live/cnode.c)
target_include_directories(cnode PRIVATE ${EI_INCLUDE})
target_compile_definitions(cnode PRIVATE _REENTRANT)
target_link_libraries(cnode PRIVATE ${EI_LIBRARY} Threads::Threads)

function(live_test name timeout script)
  release_test(${name} 2 ${timeout} ${CMAKE_CURRENT_SOURCE_DIR}/live/${script} ${ARGN})
endfunction()

foreach(scenario nodes any late tls tls_renewed)
  live_test(live_${scenario} 300 run ${scenario} $<TARGET_FILE:distsniff> ${ERL_DIR})
endforeach()
release_test(live_cnode 1 300 ${CMAKE_CURRENT_SOURCE_DIR}/live/run cnode $<TARGET_FILE:distsniff>
             ${ERL_DIR} $<TARGET_FILE:cnode>)

# Calls of every kind and outcome, each against what its caller saw.
live_test(live_calls 480 calls $<TARGET_FILE:distsniff> ${ERL_DIR})

# Thousands of calls at once: their outcomes and parents.
live_test(live_crowd 480 crowd $<TARGET_FILE:distsniff> ${ERL_DIR})

# Patterns of -m over calls of every kind, live.
live_test(live_match 300 match $<TARGET_FILE:distsniff> ${ERL_DIR})

# Names of processes, live and from a capture of the same.
live_test(live_names 300 names $<TARGET_FILE:distsniff> ${ERL_DIR})
erl_check(names naming_check ${PCAPS}/names.pcap)

# Callers whose servers die or keep them waiting, and servers whose callers died.
erl_check(left_waiting left_waiting_check ${PCAPS}/left-waiting.pcap.gz
          ${PCAPS}/left-waiting.truth.etf.gz)

# Two nodes of Elixir, shown as Elixir.
live_test(live_elixir 300 elixir $<TARGET_FILE:distsniff> ${ERL_DIR})

# Connections from before the capture, and the refresh that makes their nodes send all atoms again.
live_test(live_refresh 300 refresh $<TARGET_FILE:distsniff> ${ERL_DIR})

# TLS as OpenSSL's own client and server speak it: suites, sessions, renewed and late keys.
add_test(NAME live_tls_peers COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/tls_peers $<TARGET_FILE:distsniff>)
set_tests_properties(live_tls_peers PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 480)
mostly_waits(live_tls_peers)

# And nodes with the suites of their configuration.
live_test(live_tls_suites 300 tls_suites $<TARGET_FILE:distsniff> ${ERL_DIR})
set_tests_properties(live_tls_suites PROPERTIES RUN_SERIAL TRUE)

# live_test_here(NAME TIMEOUT SCRIPT ...): a test that does not depend on the release of the nodes.
function(live_test_here name timeout script)
  add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/${script} ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${timeout})
endfunction()

# Every way in which a live capture ends: the nodes only send packets.
live_test_here(live_ends 480 ends $<TARGET_FILE:distsniff> ${ERL_DIR} ${PCAPS})

# SIGHUP of a service.
live_test_here(live_reload 300 reload $<TARGET_FILE:distsniff> ${ERL_DIR})
live_test_here(live_baseline 300 baseline $<TARGET_FILE:distsniff> ${ERL_DIR})

# The output of --print-refresh is run as it is printed, in every form whose program is installed.
live_test_here(live_refresh_forms 300 refresh_forms $<TARGET_FILE:distsniff> ${ERL_DIR})

# What a capture with a refresh taught helps a later capture that starts late, with other nodes.
live_test_here(live_learned 300 learned_again $<TARGET_FILE:distsniff> $<TARGET_FILE:mangle> ${ERL_DIR})

# EPMD is asked, and answers correctly or not.
live_test_here(live_ask_epmd 300 ask_epmd $<TARGET_FILE:distsniff>)

# The kernel's answers about the sockets of nodes: which end is at fault.
add_test(NAME live_kernel COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/kernel $<TARGET_FILE:distsniff>)
# A stall is reported after a second: the kernel has to be asked within it.
set_tests_properties(live_kernel PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 PROCESSORS 2)

# The display on a terminal during a capture.
if(PYTHON3)
  add_test(NAME live_looked_at COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/live/looked_at.py
                                       $<TARGET_FILE:distsniff>)
  set_tests_properties(live_looked_at PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 240)
endif()

# Messages while no packet comes.
add_test(NAME live_silence COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/silence
         $<TARGET_FILE:distsniff>)
set_tests_properties(live_silence PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)

# What an attacker who has taken over a live capture can do with its packet socket.
if(DISTSNIFF_SECCOMP)
  add_executable(taken_over live/taken_over.c)
  add_test(NAME live_taken_over COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/taken_over
           $<TARGET_FILE:distsniff> $<TARGET_FILE:taken_over>)
  set_tests_properties(live_taken_over PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)
endif()

# Faults that are made to happen to nodes, a group of situations after the other.
foreach(group connect links cluster tls middle others rare apps near timeline)
  add_test(NAME live_doctor_${group} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/doctor ${group}
           $<TARGET_FILE:distsniff> ${ERL_DIR})
  set_tests_properties(live_doctor_${group} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 480)
  if(NOT group STREQUAL "near") # findings have two seconds
    set_tests_properties(live_doctor_${group} PROPERTIES PROCESSORS 2)
  endif()
  mostly_waits(live_doctor_${group})
endforeach()

# Fixtures made while the nodes talk. fixture_* show that they run on each release.
live_test_here(live_fixture 300 fixture $<TARGET_FILE:distsniff> ${ERL_DIR})

# The behaviour of a killed caller or a busy server is a matter of milliseconds: no other test runs
# at the same time.
set_tests_properties(live_crowd live_calls live_kernel PROPERTIES RUN_SERIAL ON)
set_tests_properties(live_ends PROPERTIES PROCESSORS 2)
mostly_waits(live_ends live_silence live_refresh live_refresh_forms live_ask_epmd live_baseline
             live_learned)
set_tests_properties(live_ends live_doctor_near PROPERTIES COST 100) # the longest start first

# Keys of connections that were up before, found in a node by distsniff-keys.
if(TARGET distsniff-keys)
  live_test(live_keys 180 keys $<TARGET_FILE:distsniff> $<TARGET_FILE:distsniff-keys> ${ERL_DIR})
  set_tests_properties(live_keys PROPERTIES RUN_SERIAL TRUE)
endif()
