# The numbers of --metrics, against -T json and promtool.
add_test(NAME metrics COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/metrics
         $<TARGET_FILE:distsniff> ${PCAPS}
         ${CMAKE_SOURCE_DIR}/packaging/grafana/distsniff.json
         ${CMAKE_SOURCE_DIR}/packaging/prometheus/distsniff.rules.yml)

# And as scraped by Prometheus.
add_test(NAME scraped COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/scraped
         $<TARGET_FILE:distsniff> ${PCAPS} ${CMAKE_SOURCE_DIR}/packaging/prometheus/distsniff.rules.yml)
set_tests_properties(scraped PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 480)
mostly_waits(scraped)

# A command for each finding.
add_test(NAME on_finding COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/on_finding $<TARGET_FILE:distsniff> ${PCAPS})
