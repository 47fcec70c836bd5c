# The program that rewrites captures for the tests of variants.
add_executable(mangle support/mangle.c support/mangle_file.c support/mangle_headers.c
               support/mangle_segments.c)
target_link_libraries(mangle PRIVATE PkgConfig::PCAP)
