# Captures that begin in the middle of connections, or lack packets, against the whole ones.
add_executable(late_join late/late_join.c ${CMAKE_SOURCE_DIR}/src/app/run/packet_hold.c)
target_include_directories(late_join PRIVATE ${CMAKE_SOURCE_DIR}/dissect ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(late_join PRIVATE libdistsniff PkgConfig::PCAP)
add_test(NAME late_join COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/late_join
                                $<TARGET_FILE:late_join> ${PCAPS})
add_test(NAME learned COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/learned
                              $<TARGET_FILE:distsniff> $<TARGET_FILE:mangle> ${PCAPS})
add_test(NAME held COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/held
                           $<TARGET_FILE:distsniff> $<TARGET_FILE:mangle> ${PCAPS})
add_test(NAME shape_fits COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/shape_fits
                                 $<TARGET_FILE:distsniff> $<TARGET_FILE:mangle> ${PCAPS})
# The input of scripts/atom_uses.
add_executable(role_dump late/role_dump.c)
target_include_directories(role_dump PRIVATE ${CMAKE_SOURCE_DIR}/dissect)
target_link_libraries(role_dump PRIVATE libdistsniff PkgConfig::PCAP)
# The input of scripts/shapes/learn.
add_executable(shape_dump late/shape_dump.c)
target_include_directories(shape_dump PRIVATE ${CMAKE_SOURCE_DIR}/dissect)
target_link_libraries(shape_dump PRIVATE libdistsniff PkgConfig::PCAP)
file(GLOB SHAPE_SCRIPTS ${CMAKE_SOURCE_DIR}/scripts/shapes/*)
add_test(NAME shape_names COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/shape_names
                                  ${CMAKE_SOURCE_DIR}/dissect/atoms/shapes.def ${SHAPE_SCRIPTS})
add_test(NAME static_atoms COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/static_atoms
                                   $<TARGET_FILE:distsniff>
                                   ${CMAKE_SOURCE_DIR}/dissect/atoms/otp25.def ${PCAPS})
# TLS keys that come after the packets.
find_program(PYTHON3 python3)
if(PYTHON3)
  add_test(NAME late_calls COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/late_calls.py
                                   $<TARGET_FILE:distsniff> $<TARGET_FILE:mangle> ${PCAPS})
  add_test(NAME late_keys COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/late_keys.py
                                  $<TARGET_FILE:distsniff> ${PCAPS})
  add_test(NAME write_keys COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/write_keys.py
                                   $<TARGET_FILE:distsniff> ${PCAPS})
endif()
