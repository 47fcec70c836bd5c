# The output of -T erlmod, eunit and exunit compiles and runs on a real node.
foreach(scenario decoder cookie server kept redact small large rabbit-3.10.pcap.gz elixir-1.14.pcap.gz frag-29.pcap otp29-ops.pcap cnode.pcap
        tls-29.pcap tls12-25.pcap)
  string(REGEX REPLACE "[.]pcap.*" "" name ${scenario})
  release_test(fixture_${name} 1 300 ${CMAKE_CURRENT_SOURCE_DIR}/fixture/run ${scenario}
               $<TARGET_FILE:distsniff> ${PCAPS} ${ERL_DIR})
endforeach()
newest_alone(fixture_frag-29 fixture_otp29-ops fixture_tls12-25)
# The largest two take so long to compile that they run on this release alone; fixture_* compile and
# run the output for the same captures on each other release.
foreach(capture otp29-ops frag-29)
  erl_check(truth_fixture_${capture} truth_fixture ${PCAPS}/${capture}.pcap
            ${PCAPS}/${capture}.truth.etf.gz)
  set_tests_properties(truth_fixture_${capture} PROPERTIES TIMEOUT 300)
endforeach()
foreach(capture otp27-ops cnode links-sll2 tls-29)
  release_check(truth_fixture_${capture} truth_fixture ${PCAPS}/${capture}.pcap
            ${PCAPS}/${capture}.truth.etf.gz)
endforeach()
release_test(fixture_tutorial 1 300 ${CMAKE_CURRENT_SOURCE_DIR}/fixture/tutorial
             $<TARGET_FILE:distsniff> ${CMAKE_SOURCE_DIR}/docs/from-a-capture-to-a-test.md ${PCAPS} ${ERL_DIR})
# Thousands of terms through the whole program, and back from its output.
erl_check(sent_terms sent_terms ${ELIXIR})
release_test(fixture_hostile 1 300 ${CMAKE_CURRENT_SOURCE_DIR}/fixture/hostile
             $<TARGET_FILE:distsniff> ${ERL_DIR})
newest_alone(fixture_hostile)
# Code that newer compilers would warn of, or read differently.
erl_check(newer_releases newer_releases ${PCAPS}/otp29-ops.pcap ${PCAPS}/elixir-1.14.pcap.gz)
