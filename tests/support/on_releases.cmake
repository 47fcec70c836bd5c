# Read by ctest: what release_test() of releases.cmake has noted becomes tests. OTP_ONE and
# OTP_TWO, empty for the machine's own release, say to support/releases what runs where.
file(GLOB on_releases_roots "$ENV{DISTSNIFF_OTP_ROOTS}/*/usr/bin/erl")
set(on_releases_names "")
foreach(root ${on_releases_roots})
  string(REGEX REPLACE "^.*/([^/]*)/usr/bin/erl$" "\\1" root ${root})
  list(APPEND on_releases_names ${root})
endforeach()
if("$ENV{DISTSNIFF_OTP_ROOTS}" STREQUAL "" OR NOT on_releases_names)
  set(on_releases_names "")
  add_test(other_releases echo "skipped: DISTSNIFF_OTP_ROOTS names no folder with other releases\
 of Erlang/OTP; scripts/otp-roots makes one")
  set_tests_properties(other_releases PROPERTIES SKIP_REGULAR_EXPRESSION "skipped:")
endif()

function(on_releases_add name timeout one two command)
  set(environment "")
  string(REGEX REPLACE "_on_[^/]*$" "" of ${name})
  foreach(side one two)
    string(TOUPPER OTP_${side} variable)
    if(NOT "${${side}}" STREQUAL "" AND NOT "${${side}}" STREQUAL here)
      list(APPEND environment "${variable}=$ENV{DISTSNIFF_OTP_ROOTS}/${${side}}")
    endif()
  endforeach()
  add_test(${name} ${command})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${timeout}
                       ENVIRONMENT "${environment}" ${on_releases_${of}})
endfunction()

# Tests with two sides run between all pairs of releases, or, with DISTSNIFF_OTP_PAIRS=same, with
# both sides on one release.
set(on_releases_pairs "$ENV{DISTSNIFF_OTP_PAIRS}")

function(on_releases name sides timeout command)
  foreach(one IN LISTS on_releases_names)
    if(sides EQUAL 1)
      on_releases_add(${name}_on_${one} ${timeout} ${one} ${one} "${command}")
    elseif(on_releases_pairs STREQUAL same)
      on_releases_add(${name}_on_${one}_and_${one} ${timeout} ${one} ${one} "${command}")
    else()
      on_releases_add(${name}_on_${one}_and_here ${timeout} ${one} here "${command}")
      on_releases_add(${name}_on_here_and_${one} ${timeout} here ${one} "${command}")
      foreach(two IN LISTS on_releases_names)
        on_releases_add(${name}_on_${one}_and_${two} ${timeout} ${one} ${two} "${command}")
      endforeach()
    endif()
  endforeach()
endfunction()
