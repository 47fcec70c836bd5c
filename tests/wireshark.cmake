# What Wireshark makes of -T pcapng.
add_test(NAME wireshark COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/wireshark
         $<TARGET_FILE:distsniff> ${PCAPS})
