/*
 * terms FILE: a term in Erlang's external format, as term_to_binary/1 makes it, as source text.
 * libdistsniff from C++: one term, no packets.
 */
#include <distsniff/code.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

int main(int argc, char **argv)
{
    std::ifstream file(argc == 2 ? argv[1] : "", std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    if (bytes.size() < 2 || static_cast<unsigned char>(bytes[0]) != 131) {
        std::cerr << "usage: terms FILE\n";
        return 2;
    }
    ds_term term{}; // a term begins behind the 131
    term.data = reinterpret_cast<const uint8_t *>(bytes.data()) + 1;
    term.len = bytes.size() - 1;
    for (auto language : {DS_CODE_ERLANG, DS_CODE_ELIXIR}) {
        ds_code_options options{};
        options.language = language;
        ds_buffer text{};
        if (ds_code_term(&term, &options, &text))
            std::cout.write(text.data, static_cast<std::streamsize>(text.len)) << '\n';
        ds_buffer_free(&text);
    }
    return 0;
}
