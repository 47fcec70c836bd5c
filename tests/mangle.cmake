# The program that rewrites captures for the tests of variants.
add_executable(mangle support/mangle.c)
target_link_libraries(mangle PRIVATE PkgConfig::PCAP)
