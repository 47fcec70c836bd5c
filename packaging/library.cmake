# libdistsniff for other programs, static and shared. Only functions that begin with ds_ are public:
# those of include/distsniff. All others are local, including erl_interface.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Programs with link time optimization may be built by another compiler than this one.
add_library(dissect_plain OBJECT ${DISSECT_SOURCES} ${ATOM_TABLES})
dissect_properties(dissect_plain)
set_target_properties(dissect_plain PROPERTIES INTERPROCEDURAL_OPTIMIZATION_RELEASE OFF)

set(ONLY_PUBLIC ${CMAKE_SOURCE_DIR}/packaging/exports.map)
add_library(libdistsniff_shared SHARED)
target_sources(libdistsniff_shared PRIVATE $<TARGET_OBJECTS:dissect_plain>)
target_link_libraries(libdistsniff_shared PRIVATE ${EI_LIBRARY} PkgConfig::ZLIB PkgConfig::CRYPTO
                                                  Threads::Threads m)
target_link_options(libdistsniff_shared PRIVATE LINKER:--version-script=${ONLY_PUBLIC},-z,defs)
set_target_properties(libdistsniff_shared PROPERTIES
                      EXPORT_NAME distsniff OUTPUT_NAME distsniff LINKER_LANGUAGE C
                      VERSION ${PROJECT_VERSION} SOVERSION ${DISTSNIFF_ABI}
                      LINK_DEPENDS ${ONLY_PUBLIC})

# One object with all files, so that internal functions can be made local.
set(WHOLE ${CMAKE_CURRENT_BINARY_DIR}/distsniff.o)
add_custom_command(
  OUTPUT ${WHOLE}
  COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${WHOLE} $<TARGET_OBJECTS:dissect_plain>
          ${EI_LIBRARY}
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=ds_* ${WHOLE}
  DEPENDS dissect_plain $<TARGET_OBJECTS:dissect_plain> COMMAND_EXPAND_LISTS VERBATIM)
add_library(libdistsniff_static STATIC ${WHOLE})
# The name under which users of the package find them.
target_link_libraries(libdistsniff_static INTERFACE
                      $<INSTALL_INTERFACE:ZLIB::ZLIB> $<INSTALL_INTERFACE:OpenSSL::Crypto>
                      $<INSTALL_INTERFACE:Threads::Threads> $<INSTALL_INTERFACE:m>)
set_target_properties(libdistsniff_static PROPERTIES EXPORT_NAME static OUTPUT_NAME distsniff
                                                     LINKER_LANGUAGE C)

set(CMAKE_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/distsniff)
install(TARGETS libdistsniff_shared libdistsniff_static EXPORT distsniff COMPONENT library
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/distsniff COMPONENT library
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT distsniff NAMESPACE distsniff:: COMPONENT library DESTINATION ${CMAKE_PACKAGE}
        FILE distsniff-targets.cmake)
configure_package_config_file(${CMAKE_SOURCE_DIR}/packaging/distsniff-config.cmake.in
                              ${CMAKE_CURRENT_BINARY_DIR}/distsniff-config.cmake
                              INSTALL_DESTINATION ${CMAKE_PACKAGE})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/distsniff-config-version.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/distsniff-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/distsniff-config-version.cmake
        COMPONENT library DESTINATION ${CMAKE_PACKAGE})
# The folder can be moved as a whole: the paths in distsniff.pc are relative to its own place.
set(PC_FOLDER ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PC_TO_PREFIX /prefix/${PC_FOLDER} /prefix)
string(REGEX REPLACE "/$" "" PC_TO_PREFIX ${PC_TO_PREFIX})
configure_file(${CMAKE_SOURCE_DIR}/packaging/distsniff.pc.in distsniff.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/distsniff.pc COMPONENT library
        DESTINATION ${PC_FOLDER})
