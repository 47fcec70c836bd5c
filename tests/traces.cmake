# What -T otlp writes, against -T json and what OTLP's JSON is like.
if(PYTHON3)
  add_test(NAME otlp COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/otlp $<TARGET_FILE:distsniff> ${PCAPS})
endif()
