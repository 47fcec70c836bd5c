/*
 * detect_builds.c - builds that speak differently (DS608): one node's call of a function fails,
 * while a call of it by another node, or to another node, succeeds. Either one node calls it with
 * another number of arguments than the others do, or one node has the module without that function.
 * A node that does not have the module at all may have another task.
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"

#include <inttypes.h>
#include <string.h>

struct called {
    size_t len;
    char name[128];
};

/* build_call is the latest call of a function with this number of arguments that succeeded. */
struct build_call {
    struct table_entry entry;
    uint64_t mod, fun; /* hashes of the module, and of module and function */
    uint32_t arity;
    int64_t ts_ns;
    uint64_t conn, frame;
    struct called caller, callee;
};

enum { MAX_BUILDS = 256 };

struct builds_watch {
    struct table builds;
};

const struct detect_family detect_builds_family = {
    sizeof(struct builds_watch),
    {{offsetof(struct builds_watch, builds), sizeof(struct build_call), MAX_BUILDS}},
};

static bool is_same(const struct called *kept, struct ds_text node)
{
    return kept->len == node.len && memcmp(kept->name, node.data, node.len) == 0;
}

static void keep(struct called *out, struct ds_text node)
{
    out->len = detect_keep(out->name, sizeof out->name, node);
}

static uint64_t hash_mod(struct ds_text mod)
{
    return hash_short(41, mod);
}

static void on_ok(struct detect *d, const struct call *call)
{
    struct ds_text mod, fun;
    uint32_t arity;
    if (call->caller.node.data == NULL || call->callee.node.data == NULL || call->likely_atoms != 0 ||
        call->is_part || !ds_term_get_atom(&call->mod, &mod) || !ds_term_get_atom(&call->fun, &fun) ||
        !ds_term_get_length(&call->args, &arity))
        return;
    const uint64_t key = hash_mod(mod), fun_key = hash_short(key, fun);
    struct build_call *b = table_first(&d->builds->builds, (uint32_t)key);
    while (b != NULL &&
           (b->fun != fun_key || b->arity != arity || !is_same(&b->callee, call->callee.node)))
        b = table_next(&d->builds->builds, b);
    if (b == NULL && (b = table_add_forgetting(&d->builds->builds, (uint32_t)key)) == NULL) {
        d->no_memory++;
        return;
    }
    b->mod = key;
    b->fun = fun_key;
    b->arity = arity;
    b->ts_ns = call->end_ns;
    b->conn = call->conn;
    b->frame = call->start_frame;
    keep(&b->caller, call->caller.node);
    keep(&b->callee, call->callee.node);
}

static struct finding *begin(struct detect *d, const struct call *call, const struct build_call *b,
                             const char *why)
{
    struct finding *f = detect_begin_call(d, FINDING_DS608, call);
    detect_since(d, b->ts_ns < call->start_ns ? b->ts_ns : call->start_ns);
    detect_frame(f, b->frame, "a call that succeeded");
    detect_frame(f, call->start_frame, "the call");
    detect_frame(f, call->end_frame, why);
    detect_unsure(f, CERTAINTY_LIKELY,
                  "Module:module_info(compile) and code:which(Module) on both nodes");
    return f;
}

static void report_arity(struct detect *d, const struct call *call, const struct function *called,
                         const struct build_call *b, const char *why)
{
    struct finding *f = begin(d, call, b, why);
    wording_say(&f->sentence, "{node} calls {function} with another number of arguments than other nodes",
                a_node(call->caller.node), a_function(called->mod, called->fun));
    wording_say(&f->detail, "with {arity} arguments on {callee}, which fails ({reason}); {other_caller} "
                "calls it there with {other_arity}", a_number(called->arity), a_node(call->callee.node),
                a_word(why), a_node(text_of(b->caller.name, b->caller.len)), a_number(b->arity));
    detect_commit(d);
}

static void report_callee(struct detect *d, const struct call *call, const struct function *called,
                          const struct build_call *b, const char *why)
{
    struct finding *f = begin(d, call, b, why);
    wording_say(&f->sentence, "{node} does not take a call of {function}/{arity} that another node takes",
                a_node(call->callee.node), a_function(called->mod, called->fun),
                a_number(called->arity));
    wording_say(&f->detail, "it fails there ({reason}), and succeeds on {peer}", a_word(why),
                a_node(text_of(b->callee.name, b->callee.len)));
    detect_commit(d);
}

static void on_missing(struct detect *d, const struct call *call, const struct function *called,
                       const char *why)
{
    if (!called->has_arity || call->caller.node.data == NULL || call->callee.node.data == NULL)
        return;
    const uint64_t mod = hash_mod(called->mod), fun = hash_short(mod, called->fun);
    const struct build_call *elsewhere = NULL;
    bool has_module = false;
    for (struct build_call *b = table_first(&d->builds->builds, (uint32_t)mod); b != NULL;
         b = table_next(&d->builds->builds, b)) {
        const bool is_callee = is_same(&b->callee, call->callee.node);
        has_module |= b->mod == mod && is_callee;
        if (b->fun == fun && b->arity == called->arity && !is_callee)
            elsewhere = b;
        if (b->fun == fun && b->arity != called->arity && is_callee &&
            !is_same(&b->caller, call->caller.node)) {
            report_arity(d, call, called, b, why);
            return;
        }
    }
    if (has_module && elsewhere != NULL)
        report_callee(d, call, called, elsewhere, why);
}

void detect_builds(struct detect *d, const struct call *call)
{
    struct function called;
    const char *why = detect_missing(call, &called);
    if (call->outcome == CALL_OK)
        on_ok(d, call);
    else if (why != NULL)
        on_missing(d, call, &called, why);
}
