/*
 * test_atom_shapes.c - contexts of atoms: the parts of a message that they depend on.
 */
#include "atoms/node_atoms_parts.h"
#include "atoms/atom_shapes.h"
#include "etf_maker.h"
#include "node_atoms_world.h"

enum { MAX_SEEN = 4096, MOST_LISTED = 1024 - 8 }; /* a list, besides the control message */

struct seen {
    unsigned num;
    struct {
        uint16_t slot;
        unsigned num, num_small;
        uint32_t keys[ATOM_SHAPE_KEYS];
    } atoms[MAX_SEEN];
};

static void see(void *context, const struct ds_atom *atom, const struct atom_contexts *contexts)
{
    struct seen *seen = context;
    assert_in_range(contexts->num, 1, ATOM_SHAPE_KEYS);
    assert_in_range(contexts->num_small, 1, contexts->num);
    assert_in_range(seen->num, 0, MAX_SEEN - 1);
    seen->atoms[seen->num].slot = atom->slot;
    seen->atoms[seen->num].num = contexts->num;
    seen->atoms[seen->num].num_small = contexts->num_small;
    memcpy(seen->atoms[seen->num++].keys, contexts->keys, contexts->num * sizeof *contexts->keys);
}

static struct seen seen;

/* walk walks a message to a name, with that payload; the atoms of the control message come first. */
static uint32_t walk(struct ds_term payload)
{
    struct ds_message message = {.code = 6, .payload = payload};
    message.control = etf_tuple(4, etf_int(6), etf_pid("a@h", 1), etf_cached(""), etf_cached(NULL));
    memset(&seen, 0, sizeof seen);
    return atom_shapes_walk(&message, see, NULL, &seen);
}

static bool is_same_place(uint32_t *keys, unsigned num)
{
    return seen.num == 3 && seen.atoms[2].num == num &&
           memcmp(seen.atoms[2].keys, keys, num * sizeof *keys) == 0;
}

/* The neighbours of an atom count by their types; their values do not matter. */
static void knows_types_alone(void **state)
{
    uint32_t keys[ATOM_SHAPE_KEYS];
    (void)state;
    etf_reset();
    const uint32_t whole = walk(etf_tuple(3, etf_cached(NULL), etf_int(7), etf_binary("x")));
    assert_int_not_equal(whole, 0);
    assert_int_equal(seen.num, 3); /* the nodes of pids are not reported */
    const unsigned num = seen.atoms[2].num;
    assert_int_equal(num, 3); /* its place, the tuple, the message */
    memcpy(keys, seen.atoms[2].keys, sizeof keys);
    assert_true(walk(etf_tuple(3, etf_cached("ok"), etf_int(900), etf_binary("more"))) == whole);
    assert_true(is_same_place(keys, num));
    assert_true(walk(etf_tuple(3, etf_cached("ok"), etf_int(9), etf_int(9))) != whole);
    assert_false(is_same_place(keys, num));
    assert_int_equal(seen.atoms[2].keys[0], keys[0]); /* the first of three */
    assert_int_not_equal(seen.atoms[2].keys[1], keys[1]);
    walk(etf_tuple(3, etf_int(7), etf_cached(NULL), etf_binary("x")));
    assert_int_not_equal(seen.atoms[2].keys[0], keys[0]);
}

/* Names of nodes differ from other atoms. */
static void knows_nodes(void **state)
{
    (void)state;
    etf_reset();
    const uint32_t other = walk(etf_tuple(2, etf_cached("hb"), etf_cached("name")));
    assert_true(walk(etf_tuple(2, etf_cached(NULL), etf_cached("b@h"))) != other);
    assert_true(walk(etf_tuple(2, etf_atom("b"), etf_atom("c"))) == other);
    assert_true(walk(etf_tuple(2, etf_atom("b"), etf_atom("c@h"))) != other);
}

static bool is_slot_of_node(void *context, uint16_t slot)
{
    (void)context;
    return slot == 77;
}

/* So do unknown atoms whose slots are known to be nodes; other atoms are recognised by their texts. */
static void knows_slots_of_nodes(void **state)
{
    (void)state;
    etf_reset();
    for (int i = 0; i < 3; i++) {
        struct ds_message message = {.code = 6, .payload = etf_tuple(2, etf_atom("hb"), etf_atom("b@h"))};
        message.control = etf_tuple(2, etf_int(6), etf_atom("to"));
        memset(&seen, 0, sizeof seen);
        const uint32_t with_node = atom_shapes_walk(&message, see, is_slot_of_node, &seen);
        message.payload = etf_tuple(2, etf_atom("hb"), etf_cached(i == 2 ? "ok" : NULL));
        etf_atoms[etf_num_atoms - 1].slot = i == 1 ? 78 : 77;
        assert_int_equal(atom_shapes_walk(&message, see, is_slot_of_node, &seen) == with_node, i == 0);
        assert_false(atom_shapes_walk(&message, see, NULL, &seen) == with_node);
    }
}

/* Lists count by two elements and their tail, maps in any order. */
static void knows_lists_and_maps(void **state)
{
    (void)state;
    etf_reset();
    const struct ds_term e = etf_tuple(2, etf_cached(NULL), etf_int(1)), f = etf_tuple(1, etf_int(1));
    const uint32_t two = walk(etf_list(2, e, e, etf_nil()));
    const uint32_t key = seen.atoms[2].keys[2];
    assert_true(walk(etf_list(4, e, e, f, f, etf_nil())) == two);
    assert_true(walk(etf_list(3, e, f, e, etf_nil())) != two);
    assert_true(walk(etf_list(1, e, etf_nil())) != two);
    assert_true(walk(etf_list(2, e, e, etf_int(3))) != two);
    walk(etf_list(3, e, e, e, etf_nil()));
    assert_int_equal(seen.num, 5); /* it does not matter that it is the third */
    assert_int_equal(seen.atoms[4].keys[2], key);
    const uint32_t map = walk(etf_map(2, etf_cached(NULL), etf_int(1), etf_int(3), etf_nil()));
    assert_true(walk(etf_map(2, etf_int(3), etf_nil(), etf_cached(NULL), etf_int(1))) == map);
    assert_true(walk(etf_map(2, etf_int(3), etf_int(1), etf_cached(NULL), etf_nil())) != map);
    assert_true(walk(etf_map(2, etf_int(1), etf_cached(NULL), etf_int(3), etf_nil())) != map);
}

/* Small contexts are distinguished from those that two applications hardly share by chance: more
 * than six terms. */
static void knows_what_is_large(void **state)
{
    (void)state;
    etf_reset();
    walk(etf_tuple(2, etf_tuple(4, etf_cached(NULL), etf_int(1), etf_int(2), etf_int(3)), etf_int(4)));
    assert_int_equal(seen.atoms[2].num, 4); /* its place, two tuples, the message */
    assert_int_equal(seen.atoms[2].num_small, 2);
    walk(etf_tuple(2, etf_tuple(3, etf_cached(NULL), etf_int(1), etf_int(2)), etf_nil()));
    assert_int_equal(seen.atoms[2].num_small, 3);
    walk(etf_tuple(2, etf_tuple(2, etf_cached(NULL), etf_int(1)), etf_nil()));
    assert_int_equal(seen.atoms[2].num_small, 3);
    walk(etf_cached(NULL));
    assert_int_equal(seen.atoms[2].num, 2);
    assert_int_equal(seen.atoms[2].num_small, 1);
}

/* A key of a map has the shape of its value as context; the order of keys does not matter. */
static void knows_values_of_keys(void **state)
{
    uint32_t keys[2];
    (void)state;
    etf_reset();
    walk(etf_map(2, etf_cached(NULL), etf_int(1), etf_cached(NULL), etf_binary("x")));
    assert_int_equal(seen.num, 4);
    keys[0] = seen.atoms[2].keys[0];
    keys[1] = seen.atoms[3].keys[0];
    assert_int_not_equal(keys[0], keys[1]);
    walk(etf_map(2, etf_cached(NULL), etf_binary("y"), etf_cached(NULL), etf_int(2)));
    assert_int_equal(seen.atoms[2].keys[0], keys[1]);
    assert_int_equal(seen.atoms[3].keys[0], keys[0]);
    walk(etf_map(2, etf_cached(NULL), etf_tuple(1, etf_int(1)), etf_cached(NULL), etf_int(2)));
    assert_int_not_equal(seen.atoms[2].keys[0], keys[0]);
    assert_int_not_equal(seen.atoms[2].keys[0], keys[1]);
}

/* A value differs from a key, and from the value of another kind of key. */
static void knows_keys_of_values(void **state)
{
    uint32_t keys[3];
    (void)state;
    etf_reset();
    walk(etf_map(1, etf_cached(NULL), etf_cached(NULL)));
    assert_int_equal(seen.num, 4);
    keys[0] = seen.atoms[2].keys[0];
    keys[1] = seen.atoms[3].keys[0];
    assert_int_not_equal(keys[0], keys[1]);
    walk(etf_map(1, etf_int(1), etf_cached(NULL)));
    keys[2] = seen.atoms[2].keys[0];
    assert_int_not_equal(keys[2], keys[0]);
    assert_int_not_equal(keys[2], keys[1]);
}

/* A message beyond the bounds has no whole shape; its complete contexts are reported. */
static void keeps_bounds(void **state)
{
    (void)state;
    etf_reset();
    struct ds_term deep = etf_tuple(1, etf_cached(NULL));
    for (int i = 0; i < 100; i++)
        deep = etf_tuple(1, deep);
    (void)walk(deep); /* one level stands for all below it */
    uint8_t bytes[8192] = {108, 0, 0, 16, 0}; /* a list of 4096 */
    for (size_t i = 5; i < 5 + 4096; i += 2) {
        bytes[i] = 97;
        bytes[i + 1] = 1;
    }
    for (unsigned num = 1000; num < 1100; num++) {
        bytes[3] = (uint8_t)(num >> 8);
        bytes[4] = (uint8_t)num;
        bytes[5 + 2 * num] = 106; /* the end of the list */
        etf_reset();
        const bool is_whole = walk(etf_raw(bytes, 6 + 2 * num)) != 0;
        bytes[5 + 2 * num] = 97;
        assert_int_equal(is_whole, num <= MOST_LISTED);
    }
    bytes[3] = 16;
    bytes[4] = 0;
    const struct ds_term cut = etf_raw(bytes, 5 + 4096);
    assert_int_equal(walk(cut), 0);
    assert_int_equal(seen.num, 2); /* those of the control message */
    assert_int_equal(seen.atoms[0].num, 2);
}

/* The tables are sorted, and their references are valid. */
static void tables_are_whole(void **state)
{
    (void)state;
    for (int t = 0; t < SHAPE_TABLES_NUM; t++) {
        const struct shape_table *table = &shape_tables[t];
        assert_true(table->num != 0 && table->num < SHAPE_NONE);
        for (uint32_t i = 0; i < table->num; i++) {
            assert_true(i == 0 || table->keys[i - 1] < table->keys[i]);
            assert_true(table->starts[i] < table->starts[i + 1]);
            assert_int_equal(shape_table_find(table, table->keys[i]), i);
        }
        for (unsigned i = 0; i < table->starts[table->num]; i++)
            assert_true(table->fillers[i] < atom_table_num_texts);
        for (uint32_t i = 1; i < table->num_wholes; i++)
            assert_true(table->wholes[i - 1] < table->wholes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_types_alone),
        cmocka_unit_test(knows_nodes),
        cmocka_unit_test(knows_slots_of_nodes),
        cmocka_unit_test(knows_lists_and_maps),
        cmocka_unit_test(knows_values_of_keys),
        cmocka_unit_test(keeps_bounds),
        cmocka_unit_test(knows_keys_of_values),
        cmocka_unit_test(knows_what_is_large),
        cmocka_unit_test(tables_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
