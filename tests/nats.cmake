# Records and packets to NATS JetStream and back, with real servers.
add_test(NAME nats COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/nats/run
         $<TARGET_FILE:distsniff> ${PCAPS} $<TARGET_FILE:mangle>)
add_test(NAME nats_cluster COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/nats/cluster
         $<TARGET_FILE:distsniff> ${PCAPS})
add_test(NAME nats_whole COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/nats/whole
         $<TARGET_FILE:distsniff> ${PCAPS})
add_test(NAME nats_hostile COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/nats/hostile
         $<TARGET_FILE:distsniff> ${PCAPS})
add_test(NAME nats_ids COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/nats/ids
         $<TARGET_FILE:distsniff> ${PCAPS})
add_test(NAME nats_follow COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/nats/follow
         $<TARGET_FILE:distsniff>)
add_test(NAME nats_points COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/nats/points
         $<TARGET_FILE:distsniff>)
add_test(NAME nats_history COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/nats/history
         $<TARGET_FILE:distsniff> ${PCAPS})
add_test(NAME nats_spool COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/nats/spool
         $<TARGET_FILE:distsniff>)
add_test(NAME nats_rights COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/nats/rights
         $<TARGET_FILE:distsniff> ${PCAPS} ${PROJECT_SOURCE_DIR}/packaging/nats/nats-server.conf)
set_tests_properties(nats nats_rights nats_cluster nats_whole nats_hostile nats_ids nats_follow nats_history nats_points nats_spool PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 480
                     ENVIRONMENT ASAN_OPTIONS=detect_leaks=0) # else there is no sandbox
mostly_waits(nats_cluster nats_whole nats_follow nats_points nats_spool)
