# Checks written in Erlang (erl/): distsniff finds what the nodes of a capture log that they sent.
# One test a capture.
find_program(ERL erl REQUIRED)
find_program(ERLC erlc REQUIRED)
find_program(ESCRIPT escript REQUIRED)
set(ERL_DIR ${CMAKE_CURRENT_BINARY_DIR}/erl)
file(GLOB ERL_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/erl/*.erl
     ${CMAKE_CURRENT_SOURCE_DIR}/live/*.erl ${CMAKE_CURRENT_SOURCE_DIR}/terms/*.erl)
add_custom_command(OUTPUT ${ERL_DIR}/done
                   COMMAND ${CMAKE_COMMAND} -E make_directory ${ERL_DIR}
                   COMMAND ${ERLC} -Werror -o ${ERL_DIR} ${ERL_SOURCES}
                   COMMAND ${CMAKE_COMMAND} -E touch ${ERL_DIR}/done
                   DEPENDS ${ERL_SOURCES})
add_custom_target(erl_checks ALL DEPENDS ${ERL_DIR}/done)

# erl_check(NAME MODULE ARG...): a test that is MODULE:main(PROGRAM ARG...).
function(erl_check name module)
  add_test(NAME ${name} COMMAND ${ERL} -noinput +fnu -pa ${ERL_DIR} -run ${module} main
                                $<TARGET_FILE:distsniff> ${ARGN})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT ERL_CRASH_DUMP_BYTES=0)
endfunction()

# The same on other releases.
function(release_check name module)
  release_test(${name} 1 300 ${CMAKE_CURRENT_SOURCE_DIR}/support/erl_check ${ERL_DIR}
               $<TARGET_FILE:distsniff> ${module} ${ARGN})
endfunction()

foreach(capture otp27-ops otp29-ops frag-29 cnode links-sll2 links-vxlan)
  erl_check(truth_${capture} truth ${PCAPS}/${capture}.pcap ${PCAPS}/${capture}.truth.etf.gz)
endforeach()
foreach(side a b)
  erl_check(truth_two-point-${side} truth ${PCAPS}/two-point-${side}.pcap
            ${PCAPS}/two-point.truth.etf.gz)
endforeach()
# Messages within TLS, with the secrets that the nodes logged.
foreach(capture tls12-25 tls-29)
  erl_check(truth_${capture} truth ${PCAPS}/${capture}.pcap ${PCAPS}/${capture}.truth.etf.gz
            ${PCAPS}/${capture}.keys)
endforeach()
erl_check(match_records match_records ${PCAPS}/otp25.pcap ${PCAPS}/otp27-ops.pcap
          ${PCAPS}/cats.pcap)
foreach(capture rabbit-3.10 elixir-1.14)
  erl_check(counters_${capture} node_counters ${PCAPS}/${capture}.pcap.gz
            ${PCAPS}/${capture}.counters.etf.gz)
endforeach()

# -T erl, -T ex and -T etf on real nodes; if the messages are known, they must be there.
find_program(ELIXIR elixir REQUIRED)
foreach(capture otp27-ops otp29-ops cnode links-sll2)
  erl_check(maps_${capture} truth_maps ${ELIXIR} ${PCAPS}/${capture}.pcap
            ${PCAPS}/${capture}.truth.etf.gz)
endforeach()
foreach(capture otp25.pcap elixir-1.14.pcap.gz)
  erl_check(maps_${capture} truth_maps ${ELIXIR} ${PCAPS}/${capture})
endforeach()
foreach(mode "drop;3" "snap;200" "late;600")
  string(REPLACE ";" "-" name "${mode}")
  erl_check(maps_otp29-ops_${name} truth_maps ${ELIXIR} ${PCAPS}/otp29-ops.pcap
            $<TARGET_FILE:mangle> ${mode})
endforeach()

# Names and messages of peers cannot forge a record.
erl_check(forged_json forged_json ${CMAKE_CURRENT_BINARY_DIR}/forged_json)

# Ending in the middle of a record, and the memory that the largest records need.
add_test(NAME stops COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/stops $<TARGET_FILE:distsniff>
                            ${ERL_DIR} ${ERL} $<IF:$<BOOL:${DISTSNIFF_SANITIZE}>,8000,1500>)
add_test(NAME memory COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/memory ${CMAKE_SOURCE_DIR}
                             ${CMAKE_BINARY_DIR}/without_sanitizers ${ERL_DIR} ${ERL})
set_tests_properties(memory PROPERTIES TIMEOUT 1800 COST 100) # it builds first

# The commands in the advice of findings, on each release.
release_check(advice advice ${CMAKE_SOURCE_DIR}/src/analyse/findings)
