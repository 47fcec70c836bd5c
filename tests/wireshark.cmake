# How Wireshark reads -T pcapng.
add_test(NAME wireshark COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/wireshark
         $<TARGET_FILE:distsniff> ${PCAPS})
# And -T wireshark, with the dissector that is made from the tables; tshark that captures by extcap.
if(PYTHON3)
  add_test(NAME in_wireshark COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/in_wireshark.py
           $<TARGET_FILE:distsniff> ${CMAKE_BINARY_DIR}/packaging/wireshark/distsniff.lua ${PCAPS})
  set_tests_properties(in_wireshark PROPERTIES SKIP_RETURN_CODE 77)
endif()
# Rules for Suricata, which Debian has from version 13 on.
if(PYTHON3)
  add_test(NAME suricata COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/suricata.py
           $<TARGET_FILE:distsniff> ${CMAKE_SOURCE_DIR}/packaging/suricata/distsniff.rules ${PCAPS})
  set_tests_properties(suricata PROPERTIES SKIP_RETURN_CODE 77)
endif()
