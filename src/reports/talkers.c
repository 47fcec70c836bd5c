/*
 * talkers.c - see talkers.h.
 */
#include "reports/talkers.h"

#include "core/printable.h"
#include "core/term_show.h"

#include <distsniff/dissect.h>

void talkers_init(struct talkers *t, uint64_t max_names, struct intern *shared)
{
    *t = (struct talkers){.texts = shared != NULL ? shared : &t->own};
    intern_init(&t->own, max_names);
}

void talkers_free(struct talkers *t)
{
    intern_free(&t->own);
    ds_buffer_free(&t->scratch);
}

uint32_t talkers_number_end(struct talkers *t, const struct ds_endpoint *end)
{
    if (end->node.data != NULL && end->node.len != 0)
        return intern_add(t->texts, end->node);
    t->scratch.len = 0;
    ds_endpoint_print(end, &t->scratch);
    if (t->scratch.failed)
        return 0;
    return intern_add(t->texts, (struct ds_text){t->scratch.data, t->scratch.len});
}

void talker_print(const struct talkers *t, const struct talker *talker, struct ds_buffer *out)
{
    if (talker->name != 0) {
        term_show_name(intern_text(t->texts, talker->name), out);
        ds_buffer_add_text(out, "@");
    }
    if (talker->node != 0)
        printable_text(intern_text(t->texts, talker->node), out);
    else
        ds_buffer_add_text(out, "?");
}

static const struct ds_term *process_of(const struct record *record, enum talker_side side)
{
    return &record->event->message.role[side == TALKER_FROM ? DS_ROLE_FROM : DS_ROLE_TO];
}

static uint64_t hash_pid(const uint64_t numbers[4], struct ds_text node, uint32_t node_number)
{
    const uint64_t hash = hash_more(1, numbers, 4 * sizeof numbers[0]), key[2] = {node_number, 0};
    return node.data != NULL ? hash_more(hash, node.data, node.len)
                             : hash_more(hash, key, sizeof key);
}

static uint64_t hash_named(uint32_t node, uint32_t name)
{
    const uint64_t key[2] = {node, name};
    return hash_more(2, key, sizeof key);
}

uint64_t talker_pid_hash(const struct record *record, enum talker_side side,
                         const struct talker *talker)
{
    struct ds_identity pid;
    if (!ds_term_get_identity(process_of(record, side), &pid))
        return 0;
    const uint64_t numbers[4] = {pid.kind, pid.creation, pid.word[0],
                                 pid.num_words > 1 ? pid.word[1] : 0};
    return hash_pid(numbers, pid.node, talker->node);
}

uint64_t talker_process_hash(const struct record *record, enum talker_side side,
                             const struct talker *talker)
{
    const uint64_t hash = talker->name == 0 ? talker_pid_hash(record, side, talker) : 0;
    return hash != 0 ? hash : hash_named(talker->node, talker->name);
}

uint64_t talker_party_pid_hash(struct talkers *t, const struct party *party)
{
    const uint64_t numbers[4] = {DS_IDENTITY_PID, party->creation, party->id, party->serial};
    return party->has_pid ? hash_pid(numbers, party->node, intern_add(t->texts, party->node)) : 0;
}

uint64_t talker_party_hash(struct talkers *t, const struct party *party)
{
    const uint32_t node = intern_add(t->texts, party->node);
    if (party->name.data != NULL && !party->is_for)
        return hash_named(node, intern_add(t->texts, party->name));
    const uint64_t hash = talker_party_pid_hash(t, party);
    return hash != 0 ? hash : hash_named(node, 0);
}

void talker_process_print(const struct talkers *t, const struct record *record,
                          enum talker_side side, const struct talker *talker, struct ds_buffer *out)
{
    const struct ds_term *pid = process_of(record, side);
    struct ds_identity identity;
    if (talker->name == 0 && ds_term_get_identity(pid, &identity))
        term_show(pid, NULL, out);
    else
        talker_print(t, talker, out);
}

void talker_party_print(struct talkers *t, const struct party *party, struct ds_buffer *out)
{
    const struct talker talker = {intern_add(t->texts, party->node),
                                  intern_add(t->texts, party->name)};
    if (party->name.data != NULL && !party->is_for)
        talker_print(t, &talker, out);
    else
        party_print(party, out);
}

static bool is_same(const struct talker *a, const struct talker *b)
{
    return a->node == b->node && a->name == b->name;
}

void routes_add(struct routes *r, const struct talker *from, const struct talker *to, uint64_t weight)
{
    unsigned least = 0;
    for (unsigned i = 0; i < r->num; i++) {
        if (is_same(&r->route[i].from, from) && is_same(&r->route[i].to, to)) {
            r->route[i].weight += weight;
            return;
        }
        if (r->route[i].weight < r->route[least].weight)
            least = i;
    }
    if (r->num < ROUTES) {
        least = r->num++;
        r->route[least].weight = 0;
    } else {
        r->more = true;
    }
    r->route[least].from = *from;
    r->route[least].to = *to;
    r->route[least].weight += weight;
}

void routes_print(const struct talkers *t, const struct routes *r, struct ds_buffer *out)
{
    unsigned most = 0;
    for (unsigned i = 1; i < r->num; i++)
        if (r->route[i].weight > r->route[most].weight)
            most = i;
    if (r->num == 0)
        return;
    talker_print(t, &r->route[most].from, out);
    ds_buffer_add_text(out, " > ");
    talker_print(t, &r->route[most].to, out);
    if (r->num > 1)
        ds_buffer_printf(out, " and %u%s other%s", r->num - 1, r->more ? " or more" : "",
                         r->num > 2 || r->more ? "s" : "");
}
