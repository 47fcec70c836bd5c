# What a user gets who makes mistakes, whose disk is full, whose pipe closes.
add_test(NAME cli COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/cli $<TARGET_FILE:distsniff>
                           ${PCAPS})
# What is installed, and that it works from there.
add_test(NAME install COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/installed ${CMAKE_BINARY_DIR}
                               ${PCAPS})
# The library as other programs get it.
add_test(NAME library COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/library ${CMAKE_SOURCE_DIR}
                              ${CMAKE_BINARY_DIR}/library $<TARGET_FILE:distsniff>
                              ${PCAPS}/otp25.pcap)
foreach(capture otp25 otp27-ops otp29-ops links-sll2)
  add_test(NAME second_opinion_${capture}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/second_opinion $<TARGET_FILE:distsniff>
                   ${CMAKE_SOURCE_DIR}/include/distsniff/ops.def ${PCAPS}/${capture}.pcap)
endforeach()
# Data flows one way: which room may know which.
add_test(NAME directions COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-directions)
add_test(NAME layout COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-layout)
add_test(NAME check_english COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-english)
quick(check_english)
# What documents and comments name is there.
add_test(NAME paths COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-paths)
quick(paths)
# What sentences of findings name.
add_test(NAME check_sentences COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-sentences)
quick(check_sentences)
# Which file needs which other: none its own.
add_test(NAME circles COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-circles ${CMAKE_BINARY_DIR})
set_tests_properties(circles PROPERTIES SKIP_RETURN_CODE 77)
# In which language things are written.
add_test(NAME syntax COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/syntax $<TARGET_FILE:distsniff> ${PCAPS})
# What people who know other tools type.
add_test(NAME answers COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/answers $<TARGET_FILE:distsniff> ${PCAPS})
add_test(NAME typed COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/typed $<TARGET_FILE:distsniff> ${PCAPS})
# Names that are misspelt.
add_test(NAME near_names COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/near_names $<TARGET_FILE:distsniff> ${PCAPS})
# TLS with key logs of all kinds.
add_test(NAME tls COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/tls $<TARGET_FILE:distsniff> ${PCAPS})
add_test(NAME tls_hostile COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/tls_hostile $<TARGET_FILE:distsniff>
                                  ${CMAKE_CURRENT_SOURCE_DIR}/tls/hostile.py)
# Every word that a field of -Y is known to have.
file(GLOB captures ${PCAPS}/*.pcap ${PCAPS}/*.pcap.gz)
add_test(NAME words COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/words $<TARGET_FILE:distsniff>
                            ${captures})
# Connections to ports of which EPMD has just told.
foreach(capture cats names)
  add_test(NAME announced_${capture} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/announced
                                             $<TARGET_FILE:distsniff> ${PCAPS}/${capture}.pcap)
endforeach()
# -c bounds what is shown, whatever opens first.
add_test(NAME first_messages COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/first_messages
                                     $<TARGET_FILE:distsniff> ${PCAPS})
# How something is added: CONTRIBUTING.md.
find_program(PYTHON3 python3)
if(PYTHON3)
  # Mistakes that scripts/mutate can make.
  add_test(NAME mutants COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/mutants.py ${CMAKE_SOURCE_DIR})
  quick(mutants)
  add_test(NAME recipes COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/recipes.py ${CMAKE_SOURCE_DIR}
                                ${CMAKE_BINARY_DIR}/recipes)
  set_tests_properties(recipes PROPERTIES TIMEOUT 900 PROCESSORS 2)
  # Suricata's format beside ours.
  add_test(NAME eve COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/eve.py $<TARGET_FILE:distsniff>
                            ${PCAPS}/cnode.pcap ${PCAPS}/cats.pcap ${PCAPS}/two-point-a.pcap
                            ${PCAPS}/steady-25.pcap.gz ${PCAPS}/refresh-25.pcap.gz)
endif()
