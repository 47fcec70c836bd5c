# Tests that also run on other releases of Erlang/OTP: those that scripts/otp-roots made in the
# folder DISTSNIFF_OTP_ROOTS of ctest's environment.

# release_test(NAME SIDES TIMEOUT COMMAND...): a test, and the same on each other release. SIDES is
# 1 if all its nodes have one release, 2 if it has two sides, one and two (support/releases): then
# each release meets each.
function(release_test name sides timeout)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${timeout})
  set_property(GLOBAL APPEND PROPERTY RELEASE_TEST_NAMES ${name})
  set_property(GLOBAL APPEND_STRING PROPERTY RELEASE_TESTS
               "on_releases(${name} ${sides} ${timeout} [[${ARGN}]])\n")
endfunction()

# mostly_waits(NAME ...): tests that hardly use the processors: scripts/test runs several of them
# for each processor. Those that are in a hurry at times reserve two processors: PROCESSORS.
function(mostly_waits)
  set_tests_properties(${ARGN} PROPERTIES LABELS waits)
endfunction()

# newest_alone(NAME ...): long tests. Of the other releases they run on the newest alone, and on
# each with DISTSNIFF_LONG (scripts/test --long).
function(newest_alone)
  set_tests_properties(${ARGN} PROPERTIES NEWEST_ALONE ON)
endfunction()

# Call this after the last of them, and after their properties: the tests on other releases copy
# RUN_SERIAL, labels and PROCESSORS.
function(add_release_tests)
  get_property(tests GLOBAL PROPERTY RELEASE_TESTS)
  get_property(names GLOBAL PROPERTY RELEASE_TEST_NAMES)
  set(properties "")
  foreach(name ${names})
    string(APPEND properties "set(on_releases_${name}")
    foreach(property RUN_SERIAL PROCESSORS LABELS NEWEST_ALONE)
      get_test_property(${name} ${property} value)
      if(value)
        string(APPEND properties " ${property} ${value}")
      endif()
    endforeach()
    string(APPEND properties ")\n")
  endforeach()
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/on_releases.cmake
       CONTENT "include([[${CMAKE_CURRENT_SOURCE_DIR}/support/on_releases.cmake]])\n${properties}${tests}")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES
               ${CMAKE_CURRENT_BINARY_DIR}/on_releases.cmake)
endfunction()
