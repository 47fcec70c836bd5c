# What --metrics counts, against -T json and promtool.
add_test(NAME metrics COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/metrics
         $<TARGET_FILE:distsniff> ${PCAPS}
         ${CMAKE_SOURCE_DIR}/packaging/grafana/distsniff.json)

# And as a Prometheus that scrapes it has it.
add_test(NAME scraped COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/scraped
         $<TARGET_FILE:distsniff> ${PCAPS})
set_tests_properties(scraped PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 480)
mostly_waits(scraped)
