# join.cmake: makes a C file from the parts of the page: the text before its data and the text
# behind. The content security policy has a hash of style and script each: a browser runs nothing
# else, and makes no request.
#
# cmake -DPARTS=folder -DD3=d3.min.js -DOUTPUT=page_parts.c -P join.cmake
#
# D3 is empty in a build without pages: then both texts are empty.

# Lists in CMake end at semicolons, and brackets keep them together: the texts are only read, joined
# and replaced.
cmake_policy(SET CMP0053 NEW)

function(base64_of_hex hex out)
  set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  set(text "")
  # A SHA-256 has 32 bytes: ten times three, and two.
  foreach(at RANGE 0 54 6)
    string(SUBSTRING ${hex} ${at} 6 three)
    math(EXPR value "0x${three}")
    foreach(shift 18 12 6 0)
      math(EXPR digit "${value} >> ${shift} & 63")
      string(SUBSTRING ${digits} ${digit} 1 char)
      string(APPEND text ${char})
    endforeach()
  endforeach()
  string(SUBSTRING ${hex} 60 4 two)
  math(EXPR value "0x${two} << 2")
  foreach(shift 12 6 0)
    math(EXPR digit "${value} >> ${shift} & 63")
    string(SUBSTRING ${digits} ${digit} 1 char)
    string(APPEND text ${char})
  endforeach()
  set(${out} "${text}=" PARENT_SCOPE)
endfunction()

function(bytes_of file out)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(................................................................................)"
         "\\1\n    " bytes "${bytes}")
  set(${out} "${bytes}" PARENT_SCOPE)
endfunction()

set(start "0")
set(before "0")
set(behind "0")
set(lengths "0")
if(D3)
  # The order matters: helpers first, the start last.
  set(scripts core rove format data filter verdict changes nodes times heat traffic apps points ladder calls messages keys
      live start)
  set(script "${OUTPUT}.js")
  file(READ "${D3}" text)
  file(WRITE "${script}" "${text}\n(function () {\n'use strict';\n")
  foreach(name ${scripts})
    file(READ "${PARTS}/${name}.js" text)
    file(APPEND "${script}" "${text}")
  endforeach()
  file(APPEND "${script}" "})();\n")
  file(SHA256 "${script}" hash)
  base64_of_hex(${hash} script_hash)
  file(SHA256 "${PARTS}/page.css" hash)
  base64_of_hex(${hash} style_hash)

  file(READ "${PARTS}/page.html" page)
  string(FIND "${page}" "@DATA@" at)
  string(SUBSTRING "${page}" 0 ${at} head)
  math(EXPR at "${at} + 6")
  string(SUBSTRING "${page}" ${at} -1 tail)
  file(READ "${PARTS}/page.css" style)
  string(REPLACE "@SCRIPT_HASH@" "${script_hash}" head "${head}")
  string(REPLACE "@STYLE_HASH@" "${style_hash}" head "${head}")
  string(REPLACE "@STYLE@" "${style}" head "${head}")
  file(READ "${script}" text)
  string(REPLACE "@SCRIPT@" "${text}" tail "${tail}")
  string(FIND "${head}" "@CONNECT@" at)
  string(SUBSTRING "${head}" 0 ${at} start)
  math(EXPR at "${at} + 9")
  string(SUBSTRING "${head}" ${at} -1 head)
  file(WRITE "${OUTPUT}.head" "${start}")
  file(WRITE "${OUTPUT}.before" "${head}")
  bytes_of("${OUTPUT}.head" start)
  file(WRITE "${OUTPUT}.behind" "${tail}")
  bytes_of("${OUTPUT}.before" before)
  bytes_of("${OUTPUT}.behind" behind)
  set(lengths "sizeof head" "sizeof before" "sizeof behind")
endif()
list(GET lengths 0 head_len)
list(GET lengths -1 behind_len)
set(before_len ${head_len})
if(D3)
  list(GET lengths 1 before_len)
endif()
file(WRITE "${OUTPUT}" "#include \"ui/page/page_parts.h\"

static const unsigned char head[] = {
    ${start}
};
static const unsigned char before[] = {
    ${before}
};
static const unsigned char behind[] = {
    ${behind}
};
const struct page_part page_head_data = {head, ${head_len}};
const struct page_part page_before_data = {before, ${before_len}};
const struct page_part page_behind_data = {behind, ${behind_len}};
")
