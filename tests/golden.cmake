# The cases of TESTLIST: what distsniff writes, word for word.
add_test(NAME golden COMMAND ${CMAKE_SOURCE_DIR}/scripts/golden $<TARGET_FILE:distsniff>)
