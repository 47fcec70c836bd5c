/*
 * generate.c - writes Wireshark's dissector of records: the template, with a field of Wireshark for each
 * row of record/fields.def, and for each type of record and object which of them its keys are.
 *
 *   generate TEMPLATE DISSECTOR
 *
 * A field is called distsniff.KEY, of an object distsniff.KEY.KEY. Wireshark knows one type by a name:
 * where rows of several records have one key and several types, the first of these has the name, and the
 * others have their record before the key, distsniff.epmd.result; records[] is the order.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What JSON has in a field of each kind of fields.def: its type in Wireshark; NONE: JSON has none, an
 * object of that part, or a list. */
enum type { NONE, STRING, UNSIGNED, SIGNED, BOOLEAN, TIME, REAL, OBJECT };
static const char *const type_names[] = {
    [STRING] = "string", [UNSIGNED] = "uint64", [SIGNED] = "int64", [BOOLEAN] = "bool",
    [TIME] = "absolute_time", [REAL] = "double", [OBJECT] = "none",
};

struct kind {
    const char *name;
    enum type type;
    const char *part; /* of an object, or of the objects of a list: the record in fields.def */
    bool is_span;     /* its key ends in _us */
};

static const struct kind kinds[] = {
    {"WORD", STRING, NULL, false},
    {"NAME", STRING, NULL, false},
    {"STRING", STRING, NULL, false},
    {"TEXT", STRING, NULL, false},
    {"TEXT_OR_NONE", STRING, NULL, false},
    {"ATOM", STRING, NULL, false},
    {"TERM", STRING, NULL, false},
    {"PAYLOAD", STRING, NULL, false},
    {"AS_ETF", STRING, NULL, false},
    {"REQUEST", STRING, NULL, false},
    {"ANSWER", STRING, NULL, false},
    {"NOTE_MFA", STRING, NULL, false},
    {"CALL_MFA", STRING, NULL, false},
    {"REF", STRING, NULL, false},
    {"PID", STRING, NULL, false},
    {"WORDING", STRING, NULL, false},
    {"DIGEST", STRING, NULL, false},
    {"FLAGS", STRING, NULL, false},
    {"ADDR", STRING, NULL, false},
    {"COMMUNITY_ID", STRING, NULL, false},
    {"OP", STRING, NULL, false},
    {"UNSIGNED", UNSIGNED, NULL, false},
    {"JSON_UNSIGNED", UNSIGNED, NULL, false},
    {"UNKNOWN_ATOMS", UNSIGNED, NULL, false},
    {"SIGNED", SIGNED, NULL, false},
    {"BOOL", BOOLEAN, NULL, false},
    {"TS", TIME, NULL, false},
    {"TIME", TIME, NULL, false},
    {"SECOND", TIME, NULL, false},
    {"SPAN", REAL, NULL, true},
    {"BARE_SPAN", REAL, NULL, false},
    {"FLAG_NAMES", STRING, NULL, false},
    {"TITLES", STRING, NULL, false},
    {"FINDING_NODES", STRING, NULL, false},
    {"FINDING_CONNS", UNSIGNED, NULL, false},
    {"FINDING_FRAMES", UNSIGNED, NULL, false},
    {"CHILDREN", UNSIGNED, NULL, false},
    {"NUMBER", SIGNED, NULL, false},
    {"TEXTS", STRING, NULL, false},
    {"PARAMS", OBJECT, "param", false},
    {"TLS", OBJECT, "tls", false},
    {"COUNTERS", OBJECT, "counters", false},
    {"SIDE", OBJECT, "side", false},
    {"ROUND_TRIP", OBJECT, "round_trip", true},
    {"SOCKET", OBJECT, "socket", false},
    {"WAITED", OBJECT, "waited", false},
    {"FAULT", OBJECT, "fault", false},
    {"PARTY", OBJECT, "party", false},
    {"EPMD_NODES", OBJECT, "epmd_node", false},
    {"WAITED_MESSAGES", OBJECT, "waited_message", false},
    {"GUESSES", OBJECT, "guess", false},
    {"GUESS_ATOMS", OBJECT, "guess_atom", false},
    {"PACKETS", OBJECT, "packet", false},
    {"END", OBJECT, "end", false},
    {"MAP_BOOL", NONE, NULL, false},
    {"MAP_TERM", NONE, NULL, false},
    {"MAP_ADDRESSES", NONE, NULL, false},
};

struct row {
    const char *part, *name, *kind, *help;
};

static const struct row rows[] = {
#define FIELD(part, name, kind, when, value, help) {#part, #name, #kind, help},
#include "record/fields.def"
#undef FIELD
#define PARAM(name, kind, help) {"param", #name, #kind, help},
#include "record/finding_params.def"
#undef PARAM
    /* What stands behind PEERS, and what each end has. */
    {"head", "src", "END", "who sent it"},
    {"head", "dst", "END", "the other end"},
    {"end", "addr", "ADDR", "address"},
    {"end", "port", "UNSIGNED", "TCP port"},
    {"end", "node", "ATOM", "the node"},
    {"end", "node_inferred", "BOOL", "no handshake named the node"},
/* What stands behind ROLES. A token of seq_trace is text, or an object with parts. */
#define ROLE(letter, id, key, is) {"message", key, "TERM", "element of the control tuple"},
#include <distsniff/roles.def>
#undef ROLE
};

enum {
    NUM_ROWS = sizeof rows / sizeof rows[0],
    MAX_FIELDS = 1024,
    NAME_SIZE = 128,
    MAX_PARTS = 4,
    MAX_DEPTH = 6,
};

/* A type of record, and the parts of fields.def that its fields are in. */
static const struct {
    const char *type;
    const char *parts[MAX_PARTS];
} records[] = {
    {"message", {"head", "message", "note", "trouble"}},
    {"call", {"call"}},
    {"monitor", {"monitor"}},
    {"link", {"monitor"}},
    {"finding", {"finding"}},
    {"handshake", {"head", "handshake", "note", "trouble"}},
    {"conn", {"head", "conn", "note", "trouble"}},
    {"link_facts", {"head", "link_facts"}},
    {"gap", {"head", "gap", "note", "trouble"}},
    {"stall", {"head", "stall", "note", "trouble"}},
    {"tick", {"head", "note", "trouble"}},
    {"epmd", {"head", "epmd", "note", "trouble"}},
    {"stream", {"head", "stream", "note", "trouble"}},
    {"timeline", {"timeline"}},
    {"lost", {"lost"}},
};

struct field {
    char name[NAME_SIZE];
    enum type type;
};

static struct field fields[MAX_FIELDS] = {{"distsniff.type", STRING}};
static int num_fields = 1;

static _Noreturn void fail(const char *what, const char *name)
{
    fprintf(stderr, "generate: %s %s\n", what, name);
    exit(1);
}

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    }
    fail("which type has the kind", name);
}

static void put_quoted(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

/* add_field returns the field of that name and type, from 1, or 0 where the name has another type. */
static int add_field(const char *name, enum type type, const char *key, const char *help)
{
    for (int i = 0; i < num_fields; i++) {
        if (strcmp(fields[i].name, name) == 0)
            return fields[i].type == type ? i + 1 : 0;
    }
    if (num_fields == MAX_FIELDS)
        fail("no room for", name);
    snprintf(fields[num_fields].name, NAME_SIZE, "%s", name);
    fields[num_fields++].type = type;
    printf("add(\"%s\", \"%s\", \"%s\", ", name, type_names[type], key);
    put_quoted(help);
    puts(")");
    return num_fields;
}

/* name_field adds the field of a key, whose path begins with prefix in the record type. */
static int name_field(const char *type, const char *prefix, const char *key, const struct kind *kind,
                      const char *help)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "distsniff.%s%s", prefix, key);
    int field = add_field(name, kind->type, key, help);
    if (field == 0) {
        snprintf(name, sizeof name, "distsniff.%s.%s%s", type, prefix, key);
        field = add_field(name, kind->type, key, help);
    }
    if (field == 0)
        fail("two types by the name", name);
    return field;
}

static void find_key(const struct row *row, const struct kind *kind, char key[NAME_SIZE])
{
    snprintf(key, NAME_SIZE, "%s%s", row->name, kind->is_span ? "_us" : "");
}

/* put_within is the prefix of the keys of an object. */
static void put_within(char within[NAME_SIZE], const char *prefix, const char *key)
{
    if (snprintf(within, NAME_SIZE, "%s%s.", prefix, key) >= NAME_SIZE)
        fail("no room for", key);
}

static bool is_structural(const struct row *row)
{
    return strcmp(row->kind, "PEERS") == 0 || strcmp(row->kind, "ROLES") == 0;
}

/* is_again says whether a row before this one has its key: some have two, with another condition each. */
static bool is_again(const struct row *row)
{
    for (const struct row *other = rows; other < row; other++) {
        if (strcmp(other->part, row->part) == 0 && strcmp(other->name, row->name) == 0 &&
            find_kind(row->kind)->type != NONE && !is_structural(other) &&
            find_kind(other->kind)->type != NONE)
            return true;
    }
    return false;
}

/* each_key calls step for the keys of a part, and those within. */
typedef void step_fn(const char *type, const char *prefix, const struct row *row,
                     const struct kind *kind, int depth);
static void each_key(const char *type, const char *part, const char *prefix, int depth, step_fn *step)
{
    if (depth > MAX_DEPTH)
        fail("too deep:", prefix);
    for (const struct row *row = rows; row < rows + NUM_ROWS; row++) {
        if (strcmp(row->part, part) != 0 || is_structural(row) || is_again(row))
            continue;
        const struct kind *kind = find_kind(row->kind);
        if (kind->type != NONE)
            step(type, prefix, row, kind, depth);
    }
}

static void declare(const char *type, const char *prefix, const struct row *row,
                    const struct kind *kind, int depth)
{
    char key[NAME_SIZE], within[NAME_SIZE];
    find_key(row, kind, key);
    name_field(type, prefix, key, kind, row->help);
    if (kind->part == NULL)
        return;
    put_within(within, prefix, key);
    each_key(type, kind->part, within, depth + 1, declare);
}

static void refer(const char *type, const char *prefix, const struct row *row,
                  const struct kind *kind, int depth)
{
    char key[NAME_SIZE], within[NAME_SIZE];
    find_key(row, kind, key);
    const int field = name_field(type, prefix, key, kind, row->help);
    const char *part = strcmp(prefix, "") == 0 && strcmp(key, "token") == 0 ? "token" : kind->part;
    printf("%*s[\"%s\"] = {%d", 4 * depth, "", key, field);
    if (part != NULL) {
        puts(", {");
        put_within(within, prefix, key);
        each_key(type, part, within, depth + 1, refer);
        printf("%*s}", 4 * depth, "");
    }
    puts("},");
}

static void put_fields(void)
{
    const int num = (int)(sizeof records / sizeof records[0]);
    puts("add(\"distsniff.type\", \"string\", \"type\", \"type of the record\")");
    for (int i = 0; i < num; i++) {
        for (int j = 0; j < MAX_PARTS && records[i].parts[j] != NULL; j++)
            each_key(records[i].type, records[i].parts[j], "", 1, declare);
    }
    each_key("message", "token", "token.", 2, declare);
    puts("\nlocal keys_of = {");
    for (int i = 0; i < num; i++) {
        printf("[\"%s\"] = {\n    [\"type\"] = {1},\n", records[i].type);
        for (int j = 0; j < MAX_PARTS && records[i].parts[j] != NULL; j++)
            each_key(records[i].type, records[i].parts[j], "", 1, refer);
        puts("},");
    }
    puts("}\n\nlocal has_failed = {");
#define OUTCOME(id, name, fate)                                                                    \
    if (strcmp(#fate, "FAILED") == 0)                                                              \
        puts("[\"" name "\"] = true,");
#include "record/outcome.def"
#undef OUTCOME
    puts("}");
}

int main(int argc, char **argv)
{
    char line[1024];
    FILE *template = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (template == NULL || freopen(argv[2], "w", stdout) == NULL) {
        fprintf(stderr, "usage: generate TEMPLATE DISSECTOR\n");
        return 2;
    }
    while (fgets(line, sizeof line, template) != NULL) {
        if (strcmp(line, "@FIELDS@\n") == 0)
            put_fields();
        else
            fputs(line, stdout);
    }
    fclose(template);
    return ferror(stdout) || fflush(stdout) != 0;
}
