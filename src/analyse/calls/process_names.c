/*
 * process_names.c - see process_names.h.
 */
#include "analyse/calls/process_names.h"
#include "core/term_show.h"

#include <stdlib.h>

/* title_name is a name or group, and the prefix before it. */
struct title_name {
    const char *prefix;
    struct ds_text scope; /* absent: no scope is printed */
    const struct ds_term *term;
};

/* told is a connection on which a scope announced something, until it ends. */
struct told {
    struct table_entry entry;
    uint64_t conn;
};
TABLE_KEYED(struct told, conn);

void process_names_init(struct processes *p, uint64_t max)
{
    table_init(&p->told, sizeof(struct told), max);
}

void process_names_free(struct processes *p)
{
    table_free(&p->told);
    ds_buffer_free(&p->scratch);
}

static struct process *process_of(const struct processes *p, const struct title *title)
{
    return table_get(&p->table, title->process);
}

/* print_name_as writes a name with its prefix into p->scratch. False if it is too long, or memory
 * ran out. */
static bool print_name_as(struct processes *p, enum ds_syntax syntax, const struct title_name *name,
                          size_t *prefix_len)
{
    /* A binary with more bytes is too long in any syntax. */
    const struct ds_term_print_options options = {
        .max_bytes = TITLE_LEN_MAX + 1, .max_len = TITLE_LEN_MAX + 1, .unmarked = true};
    struct ds_buffer *out = &p->scratch;
    out->len = 0;
    ds_buffer_add_text(out, name->prefix);
    if (name->scope.data != NULL) {
        ds_term_print_atom_as(name->scope, syntax, out);
        ds_buffer_add(out, ":", 1);
    }
    *prefix_len = out->len;
    const bool printed = term_show_as(syntax, name->term, &options, out) && !out->failed;
    if (!printed)
        p->no_memory++;
    if (out->failed)
        ds_buffer_free(out);
    return printed && !name->term->damaged && out->len <= TITLE_LEN_MAX;
}

/* print_name writes a name in the form by which titles are compared. */
static bool print_name(struct processes *p, const struct title_name *name, size_t *prefix_len)
{
    return print_name_as(p, DS_SYNTAX_ERLANG, name, prefix_len);
}

/* copy_texts copies the name in p->scratch and, if it is short enough, its Elixir form after it.
 * NULL if memory ran out. */
static char *copy_texts(struct processes *p, const struct title_name *name, uint32_t *elixir_len)
{
    char erlang[TITLE_LEN_MAX];
    const size_t len = p->scratch.len;
    size_t prefix_len;
    memcpy(erlang, p->scratch.data, len);
    const bool fits = print_name_as(p, DS_SYNTAX_ELIXIR, name, &prefix_len);
    *elixir_len = fits ? (uint32_t)p->scratch.len : 0;
    char *texts = malloc(len + *elixir_len);
    if (texts == NULL)
        return NULL;
    memcpy(texts, erlang, len);
    if (*elixir_len != 0)
        memcpy(texts + len, p->scratch.data, *elixir_len);
    return texts;
}

static uint32_t hash_name(const char *name, size_t len, const struct pid_key *pid)
{
    const struct pid_key none = {0};
    return hash_text((struct ds_text){name, len}) ^
           hash_key(pid != NULL ? pid : &none, sizeof *pid);
}

/* find_title looks up the name in p->scratch: a name of global, or a group with member pid. */
static struct title *find_title(const struct processes *p, size_t prefix_len,
                                const struct process *scope, const struct pid_key *pid)
{
    const char *name = p->scratch.data + prefix_len;
    const size_t len = p->scratch.len - prefix_len;
    const uint32_t scope_number = scope != NULL ? scope->entry.number : 0;
    struct title *t = table_first(&p->titles, hash_name(name, len, pid));
    for (; t != NULL; t = table_next(&p->titles, t))
        if (t->scope == scope_number && t->len - t->prefix_len == len &&
            memcmp(t->text + t->prefix_len, name, len) == 0 &&
            (pid == NULL || pid_key_equal(&process_of(p, t)->key, pid)))
            return t;
    return NULL;
}

/* add_title gives the process the title in p->scratch. */
static void add_title(struct processes *p, const struct title_name *name, size_t prefix_len,
                      struct process *scope, const struct pid_key *pid)
{
    const uint32_t len = (uint32_t)p->scratch.len;
    uint32_t elixir_len = 0;
    const struct pid_key scope_key = scope != NULL ? scope->key : (struct pid_key){0};
    if (table_is_full(&p->titles)) {
        p->num_dropped++;
        processes_remove_title(p, table_oldest(&p->titles));
    }
    struct process *process = processes_add(p, pid);
    scope = scope != NULL ? processes_find(p, &scope_key) : NULL; /* it may have been evicted */
    char *copy = process != NULL ? copy_texts(p, name, &elixir_len) : NULL;
    struct title *title =
        copy != NULL && (scope != NULL) == (scope_key.node != 0)
            ? table_add(&p->titles, hash_name(copy + prefix_len, len - prefix_len,
                                              scope != NULL ? pid : NULL))
            : NULL;
    if (title == NULL) {
        p->no_memory++;
        free(copy);
        if (process != NULL)
            processes_release(p, process);
        return;
    }
    title->text = copy;
    title->num_joined = 1;
    title->len = len;
    title->elixir_len = elixir_len;
    title->prefix_len = (uint32_t)prefix_len;
    title->process = process->entry.number;
    table_link(&p->titles, offsetof(struct title, of_process), &process->titles, title);
    if (scope != NULL) {
        title->scope = scope->entry.number;
        table_link(&p->titles, offsetof(struct title, of_scope), &scope->given, title);
    }
    processes_remember(p, process);
}

void process_names_register(struct processes *p, const struct ds_term *term, const struct pid_key *pid)
{
    const struct title_name name = {.prefix = "global:", .term = term};
    size_t prefix_len;
    if (!print_name(p, &name, &prefix_len))
        return;
    struct title *title = find_title(p, prefix_len, NULL, NULL);
    if (title != NULL && pid_key_equal(&process_of(p, title)->key, pid))
        return;
    if (title != NULL)
        processes_remove_title(p, title);
    add_title(p, &name, prefix_len, NULL, pid);
}

void process_names_unregister(struct processes *p, const struct ds_term *term)
{
    const struct title_name name = {.prefix = "global:", .term = term};
    size_t prefix_len;
    struct title *title =
        print_name(p, &name, &prefix_len) ? find_title(p, prefix_len, NULL, NULL) : NULL;
    if (title != NULL)
        processes_remove_title(p, title);
}

void process_names_open_scope(struct processes *p, const struct pid_key *pid)
{
    struct process *scope = processes_add(p, pid);
    if (scope == NULL) {
        p->no_memory++;
        return;
    }
    scope->is_scope = true;
    processes_remember(p, scope);
}

void process_names_offer_scope(struct processes *p, const struct pid_key *pid, uint32_t name)
{
    struct process *scope = processes_add(p, pid);
    if (scope == NULL) {
        p->no_memory++;
        return;
    }
    scope->offers = name;
    processes_remember(p, scope);
}

uint32_t process_names_pop_offer(struct processes *p, const struct pid_key *pid)
{
    struct process *scope = processes_find(p, pid);
    const uint32_t name = scope != NULL ? scope->offers : 0;
    if (name != 0) {
        process_names_open_scope(p, pid);
        scope->offers = 0;
    }
    return name;
}

bool process_names_is_scope(const struct processes *p, const struct pid_key *pid)
{
    const struct process *scope = processes_find(p, pid);
    return scope != NULL && scope->is_scope;
}

/* name_group returns the name of a group in a scope. */
static struct title_name name_group(const struct processes *p, const struct process *scope,
                              const struct ds_term *group)
{
    static const char standard[] = "pg";
    struct ds_text text = intern_text(p->intern, scope->name);
    if (text.len == strlen(standard) && memcmp(text.data, standard, text.len) == 0)
        text.data = NULL;
    return (struct title_name){.prefix = "pg:", .scope = text, .term = group};
}

bool process_names_heed(struct processes *p, const struct pid_key *scope_key, uint64_t conn,
                        bool tells_all)
{
    struct process *scope = processes_find(p, scope_key);
    if (scope == NULL || !scope->is_scope)
        return false;
    if (scope->told_on == conn)
        return true;
    if (!tells_all && scope->told_on != 0 && table_find(&p->told, scope->told_on) != NULL)
        return false;
    scope->told_on = conn;
    p->no_memory += table_find_or_put(&p->told, conn) == NULL;
    return true;
}

void process_names_conn_ended(struct processes *p, uint64_t conn)
{
    struct told *told = table_find(&p->told, conn);
    if (told != NULL)
        table_remove(&p->told, told);
}

void process_names_join(struct processes *p, const struct pid_key *scope_key,
                        const struct ds_term *group, const struct pid_key *pid)
{
    struct process *scope = processes_find(p, scope_key);
    size_t prefix_len;
    if (scope == NULL || !scope->is_scope)
        return;
    const struct title_name name = name_group(p, scope, group);
    if (!print_name(p, &name, &prefix_len))
        return;
    struct title *title = find_title(p, prefix_len, scope, pid);
    if (title == NULL)
        add_title(p, &name, prefix_len, scope, pid);
    else if (title->num_joined < UINT32_MAX)
        title->num_joined++;
}

void process_names_leave(struct processes *p, const struct pid_key *scope_key,
                         const struct ds_term *group, const struct pid_key *pid)
{
    const struct process *scope = processes_find(p, scope_key);
    size_t prefix_len;
    if (scope == NULL || !scope->is_scope)
        return;
    const struct title_name name = name_group(p, scope, group);
    struct title *title =
        print_name(p, &name, &prefix_len) ? find_title(p, prefix_len, scope, pid) : NULL;
    if (title != NULL && --title->num_joined == 0)
        processes_remove_title(p, title);
}

void process_names_leave_all(struct processes *p, const struct pid_key *scope_key)
{
    struct process *scope = processes_find(p, scope_key);
    if (scope != NULL)
        processes_drop_given(p, scope);
}

const struct titles *process_names_list_any(const struct processes *p, const struct process *process,
                                            struct titles *room)
{
    const struct title *t = table_get(&p->titles, process->titles);
    room->num = 0;
    for (; t != NULL && room->num < TITLES_MAX; t = table_get(&p->titles, t->of_process.next)) {
        const char *elixir = t->elixir_len != 0 ? t->text + t->len : NULL;
        room->text[room->num] = (struct ds_text){t->text, t->len};
        room->elixir[room->num++] = (struct ds_text){elixir, t->elixir_len};
    }
    return room->num != 0 ? room : NULL;
}
