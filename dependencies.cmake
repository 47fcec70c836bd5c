# Required libraries and tools, and the packages to install if they are missing. The names are
# Debian's, as in scripts/packages.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

function(is_missing what package)
  message(FATAL_ERROR "${what} is missing: install ${package}, or what has it here. "
                      "scripts/demo installs on Debian what the build needs. ${ARGN}")
endfunction()

# needs(PREFIX MODULE PACKAGE): a required library that pkg-config knows, as PkgConfig::PREFIX.
function(needs prefix module package)
  pkg_check_modules(${prefix} QUIET IMPORTED_TARGET GLOBAL ${module})
  if(NOT ${prefix}_FOUND)
    is_missing(${module} ${package} ${ARGN})
  endif()
endfunction()

# may_use(OPTION ...): the same for an optional one.
function(may_use option prefix module package)
  if(${option})
    needs(${prefix} ${module} ${package} "Without what it protects from: -D${option}=OFF")
  endif()
endfunction()

needs(PCAP libpcap libpcap-dev)
needs(CJSON libcjson libcjson-dev)
needs(PCRE2 libpcre2-8 libpcre2-dev)
needs(ZLIB zlib zlib1g-dev)
needs(ZSTD libzstd libzstd-dev)
needs(CRYPTO libcrypto libssl-dev)
may_use(DISTSNIFF_SECCOMP SECCOMP libseccomp libseccomp-dev)
may_use(DISTSNIFF_CAPNG CAPNG libcap-ng libcap-ng-dev)
if(DISTSNIFF_TESTS)
  needs(CMOCKA cmocka libcmocka-dev "Without the tests: -DDISTSNIFF_TESTS=OFF")
endif()

# A script, not a library: pages contain it.
if(DISTSNIFF_PAGE)
  # It is architecture independent, so this machine's copy also serves cross builds.
  find_file(D3_SCRIPT d3.min.js PATHS /usr/share/nodejs/d3/dist /usr/share/javascript/d3
            NO_CMAKE_FIND_ROOT_PATH)
  if(NOT D3_SCRIPT)
    is_missing("d3.min.js, of D3 5," node-d3 "Elsewhere: -DD3_SCRIPT=FILE. Without -T html: -DDISTSNIFF_PAGE=OFF")
  endif()
endif()

if(DISTSNIFF_PAGE AND DISTSNIFF_WEB)
  needs(MICROHTTPD libmicrohttpd libmicrohttpd-dev "Without --web: -DDISTSNIFF_WEB=OFF")
endif()

if(DISTSNIFF_TUI)
  needs(NCURSES ncursesw libncurses-dev "Without --tui: -DDISTSNIFF_TUI=OFF")
endif()

if(DISTSNIFF_SQLITE)
  needs(SQLITE sqlite3 libsqlite3-dev "Without -T sqlite: -DDISTSNIFF_SQLITE=OFF")
endif()

if(DISTSNIFF_NATS)
  needs(NATS libnats libnats-dev "Without -T nats: -DDISTSNIFF_NATS=OFF")
endif()

if(DISTSNIFF_OTLP)
  needs(CURL "libcurl>=7.87" libcurl4-openssl-dev "Without -T otlp=URL: -DDISTSNIFF_OTLP=OFF")
endif()

# A header-only library: it is compiled into its users.
find_path(XXHASH_INCLUDE xxhash.h)
if(NOT XXHASH_INCLUDE)
  is_missing(xxhash.h libxxhash-dev)
endif()

# Erlang's C interface is in the folder of Erlang, which may have the number of its release.
set(EI_FOLDERS)
foreach(root $ENV{ERLANG_HOME} ${CMAKE_PREFIX_PATH} /usr /usr/local /opt /opt/homebrew)
  file(GLOB found ${root}/usr ${root}/lib/erlang/usr ${root}/lib64/erlang/usr ${root}/erlang/usr
       ${root}/lib*/erlang/lib/erl_interface-* ${root}/lib/erl_interface-*)
  list(APPEND EI_FOLDERS ${found})
endforeach()
find_path(EI_INCLUDE ei.h HINTS ${EI_FOLDERS} PATH_SUFFIXES include)
find_library(EI_LIBRARY ei HINTS ${EI_FOLDERS} PATH_SUFFIXES lib)
if(NOT EI_INCLUDE OR NOT EI_LIBRARY)
  is_missing("ei.h, of Erlang's erl_interface," erlang-dev
             "Elsewhere: set ERLANG_HOME, or -DEI_INCLUDE=FOLDER -DEI_LIBRARY=FILE")
endif()
