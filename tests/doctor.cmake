# --report doctor has the findings that the MANIFEST of pcaps/ names.
add_test(NAME doctor COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/doctor $<TARGET_FILE:distsniff>
                             ${CMAKE_SOURCE_DIR}/pcaps)
# And its text for each situation, word for word.
add_test(NAME told COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/told $<TARGET_FILE:distsniff>
                           ${CMAKE_SOURCE_DIR}/pcaps/situations
                           ${CMAKE_CURRENT_SOURCE_DIR}/golden/situations.told)
# Uses of findings; each finding has its page and its test.
add_test(NAME findings COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/findings
                               $<TARGET_FILE:distsniff> ${CMAKE_SOURCE_DIR}/pcaps
                               ${CMAKE_SOURCE_DIR}/src/analyse/findings/findings.def)
# Numbers about links against tshark's.
set(links otp25.pcap otp27-ops.pcap links-sll2.pcap rabbit-3.10.pcap.gz elixir-1.14.pcap.gz
          ejabberd-23.01.pcap.gz secrets.pcap.gz)
list(TRANSFORM links PREPEND ${PCAPS}/)
add_test(NAME links_second_opinion COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/links
                                           $<TARGET_FILE:distsniff> ${links})
# Captures of one direction, and of truncated packets.
add_test(NAME half COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/half $<TARGET_FILE:distsniff>
                           $<TARGET_FILE:mangle> ${PCAPS})
# Keys that are renewed all the time, and the same renewals at a slower pace.
find_program(PYTHON3 python3)
if(PYTHON3)
  add_test(NAME renewals COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/renewals.py
                                 $<TARGET_FILE:distsniff> ${PCAPS})
endif()
