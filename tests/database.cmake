# What -T sqlite writes, against -T json and the reports, and while it is written.
if(DISTSNIFF_SQLITE AND PYTHON3)
  add_test(NAME database COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/database
           $<TARGET_FILE:distsniff> ${PCAPS})
  set_tests_properties(database PROPERTIES TIMEOUT 300)
endif()
