# The output of -T otlp, against -T json and OTLP's JSON.
if(PYTHON3)
  add_test(NAME otlp COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/otlp $<TARGET_FILE:distsniff> ${PCAPS})
  set_tests_properties(otlp PROPERTIES TIMEOUT 300)
  add_test(NAME otlp_sent COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/otlp/sent $<TARGET_FILE:distsniff> ${PCAPS})
  set_tests_properties(otlp_sent PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 480
                       ENVIRONMENT ASAN_OPTIONS=detect_leaks=0) # otherwise there is no sandbox
  mostly_waits(otlp_sent)
endif()
