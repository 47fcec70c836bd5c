# -T sqlite against -T json and the reports, and while it is written.
if(DISTSNIFF_SQLITE AND PYTHON3)
  add_test(NAME database COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/database
           $<TARGET_FILE:distsniff> ${PCAPS})
  set_tests_properties(database PROPERTIES TIMEOUT 300)
endif()

# All outputs have the same fields: record/fields.def.
if(DISTSNIFF_SQLITE AND PYTHON3)
  add_test(NAME fields COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/fields.py
           $<TARGET_FILE:distsniff> ${CMAKE_SOURCE_DIR}/src/record/fields.def ${PCAPS})
  set_tests_properties(fields PROPERTIES TIMEOUT 300)
endif()
