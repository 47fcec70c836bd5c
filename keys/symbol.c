/*
 * symbol.c - see symbol.h (System V ABI, chapters 4 and 5). The file belongs to a container, perhaps:
 * nothing in it is believed. It is read, not mapped, because it may be cut meanwhile.
 */
#include "symbol.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MACHINE_NUMBER =
#define MACHINE(number, ctx, key, iv) number
#include "machines.def"
#undef MACHINE
    ,
    MAX_HEADERS = 4096,
    MAX_TABLE = 256 << 20, /* bytes of a table of symbols or names */
};

static bool read_at(int fd, void *out, size_t len, uint64_t at)
{
    uint8_t *bytes = out;
    while (len != 0) {
        const ssize_t part = at <= INT64_MAX ? pread(fd, bytes, len, (off_t)at) : -1;
        if (part <= 0)
            return false;
        bytes += part;
        at += (uint64_t)part;
        len -= (size_t)part;
    }
    return true;
}

/* read_table reads num items of size bytes, NULL if that cannot be. */
static void *read_table(int fd, uint64_t at, uint64_t num, size_t size)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || num == 0 || num > MAX_TABLE / size ||
        num * size > (uint64_t)status.st_size)
        return NULL;
    void *table = calloc(num, size);
    if (table != NULL && !read_at(fd, table, num * size, at)) {
        free(table);
        return NULL;
    }
    return table;
}

/* place_of turns an address into a place in the file. */
static bool place_of(int fd, const Elf64_Ehdr *head, uint64_t address, uint64_t *offset)
{
    bool is_found = false;
    Elf64_Phdr *parts = head->e_phentsize == sizeof *parts && head->e_phnum <= MAX_HEADERS
                            ? read_table(fd, head->e_phoff, head->e_phnum, sizeof *parts)
                            : NULL;
    for (size_t i = 0; parts != NULL && i < head->e_phnum && !is_found; i++) {
        const Elf64_Phdr *part = &parts[i];
        is_found = part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0 &&
                   address >= part->p_vaddr && address - part->p_vaddr < part->p_filesz;
        *offset = address - part->p_vaddr + part->p_offset;
    }
    free(parts);
    return is_found;
}

static bool is_meant(const Elf64_Sym *symbol, const char *names, uint64_t names_len, const char *name)
{
    return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
           symbol->st_name < names_len && names_len - symbol->st_name > strlen(name) &&
           memcmp(names + symbol->st_name, name, strlen(name) + 1) == 0;
}

/* find_in looks a function up in a table of symbols. */
static bool find_in(int fd, const Elf64_Shdr *table, const Elf64_Shdr *strings, const char *name,
                    uint64_t *address)
{
    const uint64_t num = table->sh_size / sizeof(Elf64_Sym);
    Elf64_Sym *symbols = read_table(fd, table->sh_offset, num, sizeof *symbols);
    char *names = read_table(fd, strings->sh_offset, strings->sh_size, 1);
    bool is_found = false;
    for (uint64_t i = 0; symbols != NULL && names != NULL && i < num && !is_found; i++) {
        is_found = is_meant(&symbols[i], names, strings->sh_size, name);
        *address = symbols[i].st_value;
    }
    free(symbols);
    free(names);
    return is_found;
}

bool symbol_find(int fd, const char *name, uint64_t *offset)
{
    Elf64_Ehdr head;
    uint64_t address = 0;
    bool is_found = false;
    if (!read_at(fd, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB ||
        head.e_machine != MACHINE_NUMBER || head.e_shentsize != sizeof(Elf64_Shdr) ||
        head.e_shnum > MAX_HEADERS)
        return false;
    Elf64_Shdr *sections = read_table(fd, head.e_shoff, head.e_shnum, sizeof *sections);
    for (size_t i = 0; sections != NULL && i < head.e_shnum && !is_found; i++) {
        const Elf64_Shdr *section = &sections[i];
        is_found = (section->sh_type == SHT_DYNSYM || section->sh_type == SHT_SYMTAB) &&
                   section->sh_link < head.e_shnum &&
                   find_in(fd, section, &sections[section->sh_link], name, &address);
    }
    free(sections);
    return is_found && place_of(fd, &head, address, offset);
}
