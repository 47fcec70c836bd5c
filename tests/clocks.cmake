# Reports about captures whose clocks go back, jump, or have any value.
find_program(PYTHON3 python3)
if(PYTHON3)
  add_test(NAME clocks COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/clocks.py
                               $<TARGET_FILE:distsniff> ${CMAKE_SOURCE_DIR}/pcaps)
endif()
