# The cases of TESTLIST: the output of distsniff, word for word.
add_test(NAME golden COMMAND ${CMAKE_SOURCE_DIR}/scripts/golden $<TARGET_FILE:distsniff>)
