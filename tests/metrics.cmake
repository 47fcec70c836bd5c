# What --metrics counts, against -T json and promtool.
add_test(NAME metrics COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/metrics
         $<TARGET_FILE:distsniff> ${PCAPS}
         ${CMAKE_SOURCE_DIR}/packaging/grafana/distsniff.json)
