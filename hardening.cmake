# Compiler and linker flags that limit what hostile input can do with a bug, as far as they are
# supported. FORTIFY needs optimisation, and does not work well with sanitizers.
include(CheckCCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(HARDENING)
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
        -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER "HAS${flag}" has)
  check_c_compiler_flag("-Werror ${flag}" ${has})
  if(${has})
    list(APPEND HARDENING ${flag})
  endif()
endforeach()
add_compile_options(${HARDENING})
if(NOT DISTSNIFF_SANITIZE AND NOT DISTSNIFF_SANITIZE_THREADS AND NOT DISTSNIFF_FUZZ)
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
                      $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
endif()
add_link_options(LINKER:-z,relro,-z,now,-z,noexecstack)
