# Packet files: -w with -C, -G, -W, -z and -U, against tcpdump itself.
add_test(NAME rotation COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/keep/rotation $<TARGET_FILE:distsniff>
                               ${PCAPS})
set_tests_properties(rotation PROPERTIES TIMEOUT 480)

# Files of -O and --trigger can be decoded without others.
add_test(NAME keep_decodes COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/keep/decodes
                                   $<TARGET_FILE:distsniff> ${PCAPS})
add_test(NAME keep_decodes_tls COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/keep/decodes
                                       $<TARGET_FILE:distsniff> ${PCAPS} tls)
set_tests_properties(keep_decodes keep_decodes_tls PROPERTIES TIMEOUT 480)

# Every way to keep packets, with every kind of input.
add_test(NAME keep_every_way COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/keep/every_way
                                     $<TARGET_FILE:distsniff> ${PCAPS})
set_tests_properties(keep_every_way PROPERTIES TIMEOUT 480)

# pcapng, read and written: several link types, snapshots, secrets.
add_test(NAME pcapng COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/pcapng $<TARGET_FILE:distsniff>
                             ${PCAPS})
set_tests_properties(pcapng PROPERTIES TIMEOUT 480)

# Snapshots in such files are recognised, and never mistaken for traffic.
add_test(NAME keep_past COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/keep/past $<TARGET_FILE:distsniff>
                                ${PCAPS})
set_tests_properties(keep_past PROPERTIES TIMEOUT 480)
