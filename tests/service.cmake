# As a service: options from a file, and completions.
add_test(NAME config COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/config
         $<TARGET_FILE:distsniff> ${PCAPS} ${CMAKE_SOURCE_DIR}/packaging/distsniff.conf
         ${CMAKE_SOURCE_DIR}/packaging/oci/daemonset.yaml)
add_test(NAME completions COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/completions
         $<TARGET_FILE:distsniff> ${CMAKE_BINARY_DIR}/packaging/completions)

# Notifications to systemd, and its check of the unit.
add_test(NAME live_service COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/service $<TARGET_FILE:distsniff>)
set_tests_properties(live_service PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
add_test(NAME unit COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/unit $<TARGET_FILE:distsniff>
         ${CMAKE_BINARY_DIR}/packaging/systemd/distsniff@.service)
set_tests_properties(unit PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME apparmor COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/apparmor
         ${CMAKE_SOURCE_DIR}/packaging/apparmor/usr.bin.distsniff)
set_tests_properties(apparmor PROPERTIES SKIP_RETURN_CODE 77)

# Packages, if DISTSNIFF_PACKAGES names a folder that scripts/package has filled.
add_test(NAME packages_installed COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/packages_installed ${PCAPS}/otp25.pcap)
set_tests_properties(packages_installed PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600 LABELS package)
