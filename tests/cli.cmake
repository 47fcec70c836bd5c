# Behaviour on mistakes, full disks and closed pipes.
add_test(NAME cli COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/cli $<TARGET_FILE:distsniff>
                           ${PCAPS})
# The installed files, and that the program works from there.
add_test(NAME install COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/installed ${CMAKE_BINARY_DIR}
                               ${PCAPS})
# The library as other programs use it.
add_test(NAME library COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/library ${CMAKE_SOURCE_DIR}
                              ${CMAKE_BINARY_DIR}/library $<TARGET_FILE:distsniff>
                              ${PCAPS}/otp25.pcap)
foreach(capture otp25 otp27-ops otp29-ops links-sll2)
  add_test(NAME second_opinion_${capture}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/second_opinion $<TARGET_FILE:distsniff>
                   ${CMAKE_SOURCE_DIR}/include/distsniff/ops.def ${PCAPS}/${capture}.pcap)
endforeach()
# Data flows one way: which room may include which.
add_test(NAME directions COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-directions)
add_test(NAME layout COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-layout)
add_test(NAME check_english COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-english)
quick(check_english)
# Files that documents and comments name exist.
add_test(NAME paths COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-paths)
quick(paths)
# Parameters in sentences of findings.
add_test(NAME check_sentences COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-sentences)
quick(check_sentences)
# No circles of files that need each other.
add_test(NAME circles COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-circles ${CMAKE_BINARY_DIR})
set_tests_properties(circles PROPERTIES SKIP_RETURN_CODE 77)
# Text in Erlang's or in Elixir's syntax.
add_test(NAME syntax COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/syntax $<TARGET_FILE:distsniff> ${PCAPS})
# Words that users of other tools type.
add_test(NAME answers COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/answers $<TARGET_FILE:distsniff> ${PCAPS})
add_test(NAME typed COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/typed $<TARGET_FILE:distsniff> ${PCAPS})
# Misspelt names.
add_test(NAME near_names COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/near_names $<TARGET_FILE:distsniff> ${PCAPS})
# TLS with key logs of all kinds.
add_test(NAME tls COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/tls $<TARGET_FILE:distsniff> ${PCAPS})
add_test(NAME tls_hostile COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/tls_hostile $<TARGET_FILE:distsniff>
                                  ${CMAKE_CURRENT_SOURCE_DIR}/tls/hostile.py)
# Every word that a field of -Y accepts.
file(GLOB captures ${PCAPS}/*.pcap ${PCAPS}/*.pcap.gz)
add_test(NAME words COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/words $<TARGET_FILE:distsniff>
                            ${captures})
# Connections to ports that EPMD has just named.
foreach(capture cats names)
  add_test(NAME announced_${capture} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/announced
                                             $<TARGET_FILE:distsniff> ${PCAPS}/${capture}.pcap)
endforeach()
# -c limits what is shown, however many connections open first.
add_test(NAME first_messages COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/first_messages
                                     $<TARGET_FILE:distsniff> ${PCAPS})
# The recipes of CONTRIBUTING.md.
find_program(PYTHON3 python3)
if(PYTHON3)
  # Mistakes that scripts/mutate makes.
  add_test(NAME mutants COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/mutants.py ${CMAKE_SOURCE_DIR})
  quick(mutants)
  add_test(NAME recipes COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/recipes.py ${CMAKE_SOURCE_DIR}
                                ${CMAKE_BINARY_DIR}/recipes)
  set_tests_properties(recipes PROPERTIES TIMEOUT 900 PROCESSORS 2)
  # Suricata's format, compared with ours.
  add_test(NAME eve COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/eve.py $<TARGET_FILE:distsniff>
                            ${PCAPS}/cnode.pcap ${PCAPS}/cats.pcap ${PCAPS}/two-point-a.pcap
                            ${PCAPS}/steady-25.pcap.gz ${PCAPS}/refresh-25.pcap.gz)
endif()
