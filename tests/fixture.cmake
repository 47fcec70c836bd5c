# -T erlmod, eunit and exunit: what they write compiles and runs, on a real node.
foreach(scenario decoder cookie server kept redact small large rabbit-3.10.pcap.gz elixir-1.14.pcap.gz frag-29.pcap otp29-ops.pcap cnode.pcap)
  string(REGEX REPLACE "[.]pcap.*" "" name ${scenario})
  add_test(NAME fixture_${name}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/fixture/run ${scenario} $<TARGET_FILE:distsniff>
                   ${PCAPS})
  set_tests_properties(fixture_${name} PROPERTIES TIMEOUT 300)
endforeach()
foreach(capture otp27-ops otp29-ops frag-29 cnode links-sll2)
  erl_check(truth_fixture_${capture} truth_fixture ${PCAPS}/${capture}.pcap
            ${PCAPS}/${capture}.truth.etf.gz)
endforeach()
add_test(NAME fixture_tutorial
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/fixture/tutorial $<TARGET_FILE:distsniff>
                 ${CMAKE_SOURCE_DIR}/README.md ${PCAPS})
# Thousands of terms through the whole program, and back from what it writes.
erl_check(sent_terms sent_terms ${ELIXIR})
add_test(NAME fixture_hostile COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/fixture/hostile
                                      $<TARGET_FILE:distsniff> ${ERL_DIR})
# What compilers newer than the one here would warn of, or read otherwise.
erl_check(newer_releases newer_releases ${PCAPS}/otp29-ops.pcap ${PCAPS}/elixir-1.14.pcap.gz)
