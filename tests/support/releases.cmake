# Tests that also run on other releases of Erlang/OTP, those that scripts/otp-roots made in the
# folder that DISTSNIFF_OTP_ROOTS names when ctest is started.

# release_test(NAME SIDES TIMEOUT COMMAND...): a test, and the same on each other release. SIDES is
# 1 where all its nodes are of one release, 2 where it has two sides, one and two (support/releases):
# then each release meets each.
function(release_test name sides timeout)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${timeout})
  set_property(GLOBAL APPEND PROPERTY RELEASE_TEST_NAMES ${name})
  set_property(GLOBAL APPEND_STRING PROPERTY RELEASE_TESTS
               "on_releases(${name} ${sides} ${timeout} [[${ARGN}]])\n")
endfunction()

# After the last of them, and after what was said of each: what runs alone does so on each release.
function(add_release_tests)
  get_property(tests GLOBAL PROPERTY RELEASE_TESTS)
  get_property(names GLOBAL PROPERTY RELEASE_TEST_NAMES)
  set(alone "set(on_releases_alone")
  foreach(name ${names})
    get_test_property(${name} RUN_SERIAL is_alone)
    if(is_alone)
      string(APPEND alone " ${name}")
    endif()
  endforeach()
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/on_releases.cmake
       CONTENT "include([[${CMAKE_CURRENT_SOURCE_DIR}/support/on_releases.cmake]])\n${alone})\n${tests}")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES
               ${CMAKE_CURRENT_BINARY_DIR}/on_releases.cmake)
endfunction()
