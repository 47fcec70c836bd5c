# What --report traffic counts.
add_test(NAME traffic COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/traffic $<TARGET_FILE:distsniff>
                              ${PCAPS})
