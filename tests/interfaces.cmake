# An assistant's questions.
if(PYTHON3)
  add_test(NAME mcp COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/mcp.py $<TARGET_FILE:distsniff> ${PCAPS})
endif()
# Names that programs and people rely on stay.
if(PYTHON3)
  add_test(NAME promised COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/promised.py ${CMAKE_SOURCE_DIR})
endif()
