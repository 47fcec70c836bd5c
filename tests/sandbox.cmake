# What a run may still do while it reads packets.
add_test(NAME sandbox COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/sandbox
                              $<TARGET_FILE:distsniff> ${PCAPS}
                              $<BOOL:${DISTSNIFF_SECCOMP}> $<BOOL:${DISTSNIFF_CAPNG}>)
set_tests_properties(sandbox PROPERTIES TIMEOUT 480)
mostly_waits(sandbox)

# Protections that the compiler and the linker add.
set(fortify)
if(NOT DISTSNIFF_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  set(fortify FORTIFY)
endif()
string(JOIN " " flags ${HARDENING} ${fortify})
add_test(NAME hardened COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/hardened
                               $<TARGET_FILE:distsniff> "${flags}")
