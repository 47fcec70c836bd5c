# What --report doctor finds in the captures of pcaps/ is what their MANIFEST says.
add_test(NAME doctor COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/doctor $<TARGET_FILE:distsniff>
                             ${CMAKE_SOURCE_DIR}/pcaps)
