# What --report traffic counts.
add_test(NAME traffic COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/traffic $<TARGET_FILE:distsniff>
                              ${PCAPS})

# Tables that are written while the capture goes on.
add_test(NAME every COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/every $<TARGET_FILE:distsniff>
                            ${PCAPS})
