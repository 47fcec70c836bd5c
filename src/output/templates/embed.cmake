# embed.cmake: makes of a file a C array, so that the program carries it within itself.
#
#   cmake -DFILE=template -DNAME=name -DOUTPUT=name.c -P embed.cmake
file(READ ${FILE} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)"
       "\\1\n    " bytes "${bytes}")
file(WRITE ${OUTPUT} "#include \"templates/templates.h\"

static const unsigned char bytes[] = {
    ${bytes}
};
const struct template ${NAME} = {bytes, sizeof bytes};
")
