# What --report traffic counts.
add_test(NAME traffic COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/traffic $<TARGET_FILE:distsniff>
                              ${PCAPS})

# Tables that are written while the capture goes on.
add_test(NAME every COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/every $<TARGET_FILE:distsniff>
                            ${PCAPS})

# The labels of a user's own protocols, as the manual has them.
add_test(NAME own_labels COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/own_labels
         $<TARGET_FILE:distsniff> ${PCAPS} ${CMAKE_SOURCE_DIR}/man/distsniff.1.in)
