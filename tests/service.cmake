# As a service: options from a file, and what shells complete of them.
add_test(NAME config COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/config
         $<TARGET_FILE:distsniff> ${PCAPS} ${CMAKE_SOURCE_DIR}/packaging/distsniff.conf)
add_test(NAME completions COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/completions
         $<TARGET_FILE:distsniff> ${CMAKE_BINARY_DIR}/packaging/completions)
