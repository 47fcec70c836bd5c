# What -T sqlite writes, against -T json and the reports, and while it is written.
if(DISTSNIFF_SQLITE AND PYTHON3)
  add_test(NAME database COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/database
           $<TARGET_FILE:distsniff> ${PCAPS})
  set_tests_properties(database PROPERTIES TIMEOUT 300)
endif()

# All outputs say the same: what record/fields.def has.
if(DISTSNIFF_SQLITE AND PYTHON3)
  add_test(NAME fields COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/fields.py
           $<TARGET_FILE:distsniff> ${CMAKE_SOURCE_DIR}/src/record/fields.def ${PCAPS})
  set_tests_properties(fields PROPERTIES TIMEOUT 300)
endif()
