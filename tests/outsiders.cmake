# Packets that the ends of a connection ignore, made by the test.
find_program(PYTHON3 python3)
if(PYTHON3)
  add_test(NAME outsiders COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/outsiders.py
                                  $<TARGET_FILE:distsniff>)
  add_test(NAME attacker COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/attacker.py
                                 $<TARGET_FILE:distsniff>)
  add_test(NAME tls_attacker COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/tls_attacker.py
                                     $<TARGET_FILE:distsniff>)
  add_test(NAME odd_packets COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/live/odd_packets.py
                                    $<TARGET_FILE:distsniff>)
  add_test(NAME ports_again COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/live/ports_again.py
                                    $<TARGET_FILE:distsniff>)
  set_tests_properties(odd_packets ports_again PROPERTIES SKIP_RETURN_CODE 77)
  add_test(NAME forged_names COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/forged_names.py
                                     $<TARGET_FILE:distsniff>)
endif()
