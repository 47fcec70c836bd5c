/*
 * test_record_copy.c - copies of records in a block: as large as the record, with nothing of the
 * record before, and with the connection as it was known at the time.
 */
#include "big_event.h"
#include "failing_alloc.h"
#include "record/record_copy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void grows_for_a_large_record(void **state)
{
    const size_t len = 5 * 1024 * 1024;
    uint8_t *bytes = calloc(1, len);
    struct ds_conn conn = {.number = 1};
    struct record_block block = {0};
    (void)state;
    assert_non_null(bytes);
    bytes[len - 1] = 42;
    const struct ds_event small = big_event(&conn, bytes, 10);
    const struct ds_event big = big_event(&conn, bytes, len);
    struct record record = {.event = &small};
    assert_int_equal(record_block_add(&block, &record), COPY_OK);
    record.event = &big;
    assert_int_equal(record_block_add(&block, &record), COPY_FULL);
    record_block_clear(&block);
    assert_int_equal(record_block_add(&block, &record), COPY_OK);
    struct record_view view = {0};
    const struct ds_event *copy = copied_record_get(block.first, &view)->event;
    assert_non_null(copy);
    assert_ptr_not_equal(copy->bytes, bytes);
    assert_ptr_equal(copy->bytes, copy->message.control.data);
    assert_int_equal(copy->bytes[len - 1], 42);
    record_block_clear(&block);
    assert_null(block.data); /* as much is not kept */
    record_block_free(&block);
    free(bytes);
}

/* The fields of one record do not show in the next: records are assembled in one place. */
static void leaves_nothing_of_the_last_record(void **state)
{
    const uint8_t bytes[] = {97, 1};
    const struct ds_term term = {.data = bytes, .len = sizeof bytes};
    const struct titles titles = {
        .num = 1, .text = {{"pg:a", 4}}, .elixir = {{"pg::a", 5}}};
    struct ds_conn conn = {.number = 1};
    struct ds_event full = big_event(&conn, bytes, sizeof bytes), less = full;
    for (int role = 0; role < DS_ROLE_COUNT; role++)
        full.message.role[role] = term;
    full.message.token = (struct ds_token){.present = true, .label = term, .from = term};
    less.message.role[0] = term;
    const struct record records[] = {
        {.event = &full, .note = {.to_titles = &titles}, .left_out = true},
        {.event = &less},
        {.call = &(struct call){.number = 3}},
        {.event = &less},
    };
    struct record_block block = {0};
    struct record_view alone = {0};
    (void)state;
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++)
        assert_int_equal(i == 1 ? record_block_add_event(&block, &less)
                                : record_block_add(&block, &records[i]),
                         COPY_OK);

    const struct copied_record *copy = block.first;
    const struct record *record = copied_record_get(copy, &alone);
    assert_int_equal(record->note.to_titles->num, 1);
    const struct ds_text elixir = titles_text(record->note.to_titles, 0, DS_SYNTAX_ELIXIR);
    assert_true(elixir.len == 5 && memcmp(elixir.data, "pg::a", 5) == 0);
    assert_true(elixir.data != titles.elixir[0].data);
    assert_true(record->left_out && record->event->message.token.present);
    assert_non_null(record->event->message.role[DS_ROLE_COUNT - 1].data);
    for (int again = 0; again < 2; again++) {
        assert_true((copy->next->record == NULL) == (again == 0));
        record = copied_record_get(copy = copy->next, &alone);
        assert_null(record->note.to_titles);
        assert_null(record->call);
        assert_false(record->left_out || record->event->message.token.present);
        assert_null(record->event->message.token.label.data);
        assert_non_null(record->event->message.role[0].data);
        for (int role = 1; role < DS_ROLE_COUNT; role++)
            assert_null(record->event->message.role[role].data);
        if (again == 0) {
            record = copied_record_get(copy = copy->next, &alone);
            assert_null(record->event);
            assert_int_equal(record->call->number, 3);
        }
    }
    record_block_free(&block);
}

/* A copy has the connection as it was known at the time, whether the connection counts its changes
 * or not. */
static void keep_connections(bool counts)
{
    const uint8_t bytes[] = {97, 1};
    struct ds_conn conn = {.number = 1};
    struct record_block block = {0};
    enum { CHANGES = 8 };
    struct ds_conn expected[CHANGES];
    const struct ds_event event = big_event(&conn, bytes, sizeof bytes);
    const struct record record = {.event = &event};
    for (int i = 0; i < CHANGES; i++) {
        struct ds_endpoint *end = &conn.end[i % 2];
        conn.changes += counts;
        conn.counters[1].gaps += i == 1;
        conn.counters[0].faults += i == 2;
        if (i == 3)
            end->node = (struct ds_text){"a@h", 3};
        end->creation += i == 4;
        end->node_inferred = end->node_inferred || i == 5;
        if (i == 6)
            conn.end[1].node = (struct ds_text){"b@h", 3};
        conn.are_both_seen = i == 7;
        expected[i] = conn;
        assert_int_equal(record_block_add(&block, &record), COPY_OK);
    }
    const struct copied_record *copy = block.first;
    struct record_view view = {0};
    for (int i = 0; i < CHANGES; i++, copy = copy->next) {
        const struct ds_conn *known = copied_record_get(copy, &view)->event->conn;
        assert_int_equal(known->are_both_seen, expected[i].are_both_seen);
        for (int end = 0; end < 2; end++) {
            assert_int_equal(known->counters[end].gaps, expected[i].counters[end].gaps);
            assert_int_equal(known->counters[end].faults, expected[i].counters[end].faults);
            assert_int_equal(known->end[end].creation, expected[i].end[end].creation);
            assert_int_equal(known->end[end].node_inferred, expected[i].end[end].node_inferred);
            assert_int_equal(known->end[end].node.len, expected[i].end[end].node.len);
            if (known->end[end].node.len != 0)
                assert_memory_equal(known->end[end].node.data, expected[i].end[end].node.data, 3);
        }
    }
    record_block_free(&block);
}

static void keeps_what_a_connection_was(void **state)
{
    (void)state;
    keep_connections(false);
    keep_connections(true);
}

/* Another connection is a different one, however often it has changed; and so is one whose TLS is
 * not shown. */
static void tells_connections_apart(void **state)
{
    static const struct ds_tls tls = {.version = 0x0304};
    struct ds_conn conns[] = {
        {.number = 1, .changes = 2, .end[0].node = {"a@h", 3}},
        {.number = 2, .changes = 2, .end[0].node = {"b@h", 3}},
        {.number = 2, .changes = 2, .end[0].node = {"b@h", 3}, .tls = &tls},
        {.number = 2, .changes = 2, .end[0].node = {"b@h", 3}},
    };
    const uint8_t bytes[] = {97, 1};
    struct record_block block = {0};
    (void)state;
    for (int i = 0; i < 4; i++) {
        const struct ds_event event = big_event(&conns[i], bytes, sizeof bytes);
        assert_int_equal(record_block_add(&block, &(struct record){.event = &event}), COPY_OK);
    }
    struct record_view view = {0};
    const struct copied_record *copy = block.first;
    for (int i = 0; i < 4; i++, copy = copy->next) {
        const struct ds_conn *known = copied_record_get(copy, &view)->event->conn;
        assert_int_equal(known->number, conns[i].number);
        assert_memory_equal(known->end[0].node.data, conns[i].end[0].node.data, 3);
        assert_int_equal(known->tls == NULL, conns[i].tls == NULL);
    }
    record_block_free(&block);
}

static void says_that_memory_ran_out(void **state)
{
    const uint8_t bytes[] = {1, 2, 3};
    struct ds_conn conn = {.number = 1};
    const struct ds_event event = big_event(&conn, bytes, sizeof bytes);
    const struct record record = {.event = &event};
    struct record_block block = {0};
    (void)state;
    failing_alloc_at(1);
    assert_int_equal(record_block_add(&block, &record), COPY_NO_MEMORY);
    failing_alloc_at(0);
    assert_int_equal(record_block_add(&block, &record), COPY_OK);
    record_block_free(&block);
    failing_alloc_at(1);
    assert_int_equal(record_block_add_event(&block, &event), COPY_NO_MEMORY);
    failing_alloc_at(0);
    assert_int_equal(record_block_add_event(&block, &event), COPY_OK);
    record_block_free(&block);
}

/* An event alone is copied as in a record, and takes less room. */
static void copies_an_event_alone(void **state)
{
    static uint8_t bytes[1000];
    struct ds_conn conn = {.number = 1};
    const struct ds_event event = big_event(&conn, bytes, sizeof bytes);
    const struct record record = {.event = &event};
    struct record_block alone = {0}, known = {0};
    struct record_view view = {0};
    size_t num = 0, num_known = 0;
    (void)state;
    bytes[999] = 7;
    while (record_block_add(&known, &record) == COPY_OK)
        num_known++;
    while (record_block_add_event(&alone, &event) == COPY_OK)
        num++;
    assert_true(num > num_known);
    for (const struct copied_record *copy = alone.first; copy != NULL; copy = copy->next, num--) {
        const struct record *got = copied_record_get(copy, &view);
        assert_ptr_not_equal(got->event->bytes, bytes);
        assert_int_equal(got->event->conn->number, 1);
        assert_memory_equal(got->event->bytes, bytes, sizeof bytes);
        assert_ptr_equal(got->event->message.control.data, got->event->bytes);
        assert_null(got->call);
        assert_false(got->link_facts);
    }
    assert_int_equal(num, 0);
    assert_ptr_equal(copied_record_get(known.first, &view), known.first->record);
    record_block_free(&alone);
    record_block_free(&known);
}

/* message_of makes a message whose control message is the frame, and one role a part of it. */
static struct ds_event message_of(struct ds_conn *conn, const uint8_t *bytes, size_t len,
                                  const struct ds_atom *atoms, uint32_t num_atoms)
{
    struct ds_event event = big_event(conn, bytes, len);
    struct ds_message *message = &event.message;
    message->control.atoms = atoms;
    message->control.num_atoms = num_atoms;
    message->role[DS_ROLE_TO] = message->control;
    message->role[DS_ROLE_TO].data += 2;
    message->role[DS_ROLE_TO].len = 1;
    return event;
}

/* A copied message is equal to the original, wherever its terms are, and has nothing of the one
 * before. */
static void gives_back_what_it_packed(void **state)
{
    enum { PLAIN, WITH_PAYLOAD, DAMAGED, DAMAGED_PAYLOAD, ELSEWHERE, BEFORE, BEYOND, OTHER_ATOMS,
           FEWER_ATOMS, NO_ATOMS, PAYLOAD_ELSEWHERE, EMPTY_PAYLOAD, TOKEN, GUESSES, NO_FRAME, NO_CONTROL,
           AGAIN, NUM_KINDS };
    static const uint8_t frame[] = {1, 2, 3, 4, 5, 6, 7, 8}, other[] = {9, 8, 7};
    static const struct ds_atom atoms[] = {{.text = (const uint8_t *)"abc", .len = 3, .slot = 4}};
    static const struct ds_atom more[] = {{.text = (const uint8_t *)"d", .len = 1, .slot = 5}};
    static struct ds_guess guess;
    struct ds_conn conn = {.number = 1};
    struct ds_event events[NUM_KINDS];
    struct record_block block = {.shares_atoms = true};
    struct record_view view = {0};
    (void)state;
    for (int kind = 0; kind < NUM_KINDS; kind++) {
        events[kind] = message_of(&conn, frame + 1, sizeof frame - 2, atoms, 1);
        struct ds_event *event = &events[kind];
        struct ds_message *message = &event->message;
        struct ds_term *from = &message->role[DS_ROLE_FROM];
        event->frame = (uint64_t)kind + 1;
        message->stalled_ns = kind;
        message->wire_ns = kind + 1;
        message->size = (uint64_t)kind + 2;
        message->atom_bytes = (uint64_t)kind + 3;
        message->fragments = (uint32_t)kind + 4;
        if (kind != PLAIN && kind != AGAIN)
            *from = (struct ds_term){.data = frame + 2, .len = 5, .atoms = atoms, .num_atoms = 1};
        if (kind == WITH_PAYLOAD || kind == DAMAGED_PAYLOAD || kind == EMPTY_PAYLOAD)
            message->payload = message->control;
        if (kind == EMPTY_PAYLOAD)
            message->payload.len = 0;
        from->damaged = kind == DAMAGED;
        message->payload.damaged = kind == DAMAGED_PAYLOAD;
        if (kind == ELSEWHERE)
            from->data = other, from->len = sizeof other;
        if (kind == BEFORE)
            from->data = frame;
        if (kind == BEYOND)
            from->data = frame + 3;
        if (kind == OTHER_ATOMS)
            from->atoms = more;
        if (kind == FEWER_ATOMS)
            from->num_atoms = 0;
        if (kind == NO_ATOMS)
            from->atoms = NULL, from->num_atoms = 0;
        if (kind == PAYLOAD_ELSEWHERE)
            message->payload = (struct ds_term){.data = other, .len = 2, .atoms = atoms, .num_atoms = 1};
        if (kind == TOKEN)
            message->token = (struct ds_token){.present = true, .label = *from, .serial = 3};
        if (kind == GUESSES)
            message->guesses = &guess, message->num_guesses = 1;
        if (kind == NO_FRAME)
            event->bytes = NULL, event->bytes_len = 0;
        if (kind == NO_CONTROL)
            message->control = (struct ds_term){0};
        assert_int_equal(record_block_add_event(&block, event), COPY_OK);
    }
    const struct copied_record *copy = block.first;
    for (int kind = 0; kind < NUM_KINDS; kind++, copy = copy->next) {
        const struct ds_event *given = &events[kind];
        const struct ds_event *got = copied_record_get(copy, &view)->event;
        const struct ds_message *message = &got->message;
        const bool is_packed = kind <= WITH_PAYLOAD || kind == AGAIN;
        assert_true((copy->packed != NULL) == is_packed);
        assert_int_equal(got->frame, given->frame);
        assert_int_equal(message->stalled_ns, kind);
        assert_int_equal(message->wire_ns, kind + 1);
        assert_int_equal(message->size, kind + 2);
        assert_int_equal(message->atom_bytes, kind + 3);
        assert_int_equal(message->fragments, kind + 4);
        assert_int_equal(got->conn->number, 1);
        assert_int_equal(got->bytes_len, given->bytes_len);
        if (given->bytes != NULL)
            assert_memory_equal(got->bytes, given->bytes, given->bytes_len);
        for (int role = 0; role < DS_ROLE_COUNT + 2; role++) {
            const struct ds_term *was = role < DS_ROLE_COUNT    ? &given->message.role[role]
                                        : role == DS_ROLE_COUNT ? &given->message.control
                                                                : &given->message.payload;
            const struct ds_term *is = role < DS_ROLE_COUNT    ? &message->role[role]
                                       : role == DS_ROLE_COUNT ? &message->control
                                                               : &message->payload;
            assert_true((is->data == NULL) == (was->data == NULL));
            assert_int_equal(is->len, was->len);
            assert_int_equal(is->damaged, was->damaged);
            assert_int_equal(is->num_atoms, was->num_atoms);
            if (was->data == NULL)
                continue;
            assert_memory_equal(is->data, was->data, was->len);
            assert_ptr_not_equal(is->data, was->data);
            for (uint32_t i = 0; i < was->num_atoms; i++) {
                assert_int_equal(is->atoms[i].slot, was->atoms[i].slot);
                assert_memory_equal(is->atoms[i].text, was->atoms[i].text, was->atoms[i].len);
                assert_ptr_not_equal(is->atoms[i].text, was->atoms[i].text);
            }
        }
        assert_int_equal(message->token.present, kind == TOKEN);
        assert_int_equal(message->token.serial, kind == TOKEN ? 3 : 0);
        assert_true((message->guesses != NULL) == (kind == GUESSES));
    }
    record_block_free(&block);
}

/* A copy that refers to another copy has its event, whose parts are not copied again. */
static void refers_to_another_copy(void **state)
{
    static const uint8_t frame[] = {1, 2, 3, 4, 5, 6, 7, 8}, other[] = {9, 8, 7};
    static const struct ds_atom atoms[] = {{.text = (const uint8_t *)"abc", .len = 3, .slot = 4}};
    struct ds_conn conn = {.number = 1};
    struct ds_event packed = message_of(&conn, frame, sizeof frame, atoms, 1), whole = packed;
    whole.message.token = (struct ds_token){.present = true};
    const struct ds_event tick = {.type = DS_EVENT_TICK, .conn = &conn, .frame = 7};
    const struct ds_event *const events[] = {&packed, &whole, &tick};
    struct record_block from = {.shares_atoms = true}, to = {0}, apart = {0};
    struct record_view view = {0}, again = {0};
    (void)state;
    packed.message.atom_texts = 1;
    for (int i = 0; i < 3; i++)
        assert_int_equal(record_block_add_event(&from, events[i]), COPY_OK);
    const struct copied_record *copy = from.first;
    for (int i = 0; i < 3; i++, copy = copy->next) {
        const struct ds_event *event = copied_record_get(copy, &view)->event;
        const struct ds_term *control = &event->message.control;
        struct record record = {.event = event, .note.from_name = {"name", 4}};
        if (event->type == DS_EVENT_MESSAGE) {
            assert_int_equal(event->message.atom_texts, 0);
            record.note.body = event->message.role[DS_ROLE_TO];
            record.note.args = (struct ds_term){.data = other, .len = sizeof other};
        }
        assert_int_equal(record_block_add(&apart, &record), COPY_OK);
        assert_int_equal(record_block_refer(&to, &record, copy), COPY_OK);
        const struct record *got = copied_record_get(to.last, &again);
        assert_memory_equal(got->note.from_name.data, "name", 4);
        assert_ptr_not_equal(got->note.from_name.data, record.note.from_name.data);
        assert_int_equal(got->event->type, event->type);
        assert_int_equal(got->event->frame, event->frame);
        assert_ptr_equal(got->event->bytes, event->bytes);
        assert_ptr_equal(got->event->conn, event->conn);
        if (event->type != DS_EVENT_MESSAGE)
            continue;
        assert_ptr_equal(got->event->message.control.data, control->data);
        assert_ptr_equal(got->note.body.data, control->data + 2);
        assert_ptr_equal(got->note.body.atoms, control->atoms);
        assert_memory_equal(got->note.args.data, other, sizeof other);
        assert_ptr_not_equal(got->note.args.data, other);
    }
    assert_true(to.len < apart.len);
    /* A record without room leaves nothing behind. */
    const struct record record = {.event = copied_record_get(from.first, &view)->event};
    while (record_block_refer(&to, &record, from.first) == COPY_OK)
        ;
    const struct copied_record *last = to.last;
    assert_int_equal(record_block_refer(&to, &record, from.first), COPY_FULL);
    assert_ptr_equal(to.last, last);
    assert_null(last->next);
    record_block_free(&from);
    record_block_free(&to);
    record_block_free(&apart);
}

/* Blocks exchange their contents, but not their fill level. */
static void exchanges_what_blocks_hold(void **state)
{
    struct ds_conn conn = {.number = 1};
    const struct ds_event tick = {.type = DS_EVENT_TICK, .conn = &conn, .frame = 7};
    struct record_block full = {.shares_atoms = true, .first_cap = 1000}, empty = {0};
    struct record_view view = {0};
    (void)state;
    assert_int_equal(record_block_add_event(&full, &tick), COPY_OK);
    record_block_swap(&full, &empty);
    assert_true(full.first == NULL && full.data == NULL && full.len == 0);
    assert_int_equal(copied_record_get(empty.first, &view)->event->frame, 7);
    assert_true(full.shares_atoms && !empty.shares_atoms);
    assert_true(full.first_cap == 1000 && empty.first_cap == 0);
    record_block_free(&full);
    record_block_free(&empty);
}

static const struct ds_atom *atoms_of(const struct copied_record *copy)
{
    struct record_view view = {0};
    return copied_record_get(copy, &view)->event->message.control.atoms;
}

/* If a message reports that its atoms' texts are unchanged, they are stored once; other atoms are
 * stored each time. */
static void copies_atoms_once(void **state)
{
    static const uint8_t frame[] = {1, 2, 3, 4};
    char text[] = "abc";
    struct ds_atom atoms[2] = {{.text = (const uint8_t *)text, .len = 3, .slot = 4},
                               {.text = (const uint8_t *)"de", .len = 2, .slot = 5}};
    const struct {
        uint64_t texts;
        uint32_t num;
        char first;
        bool is_known;
    } messages[] = {{7, 2, 'a', false}, {7, 2, 'a', true},  {7, 1, 'a', false}, {0, 2, 'b', false},
                    {8, 2, 'c', false}, {8, 2, 'c', true},  {0, 2, 'c', false}, {0, 2, 'c', false},
                    {9, 2, 'd', false}, {9, 1, 'd', false}, {9, 1, 'd', true}};
    enum { NUM = sizeof messages / sizeof messages[0] };
    struct ds_conn conn = {.number = 1};
    (void)state;
    for (int shares = 0; shares < 2; shares++) {
        struct record_block block = {.shares_atoms = shares != 0};
        for (size_t i = 0; i < NUM; i++) {
            text[0] = messages[i].first;
            struct ds_event event = message_of(&conn, frame, sizeof frame, atoms, messages[i].num);
            event.message.atom_texts = messages[i].texts;
            assert_int_equal(record_block_add_event(&block, &event), COPY_OK);
        }
        const struct copied_record *copy = block.first, *before = NULL;
        for (size_t i = 0; i < NUM; i++, before = copy, copy = copy->next) {
            const struct ds_atom *got = atoms_of(copy);
            assert_int_equal(got[0].text[0], messages[i].first);
            assert_memory_equal(got[0].text + 1, "bc", 2);
            if (messages[i].num == 2)
                assert_memory_equal(got[1].text, "de", 2);
            if (before != NULL)
                assert_true((got == atoms_of(before)) == (messages[i].is_known && shares != 0));
        }
        record_block_free(&block);
        assert_true(block.shares_atoms == (shares != 0));
    }
}

/* Atoms without room do not count as copied; nor do those of a block that was emptied. */
static void forgets_atoms_that_did_not_fit(void **state)
{
    enum { NUM_ATOMS = 200 };
    static const uint8_t frame[] = {1, 2, 3, 4};
    static char texts[NUM_ATOMS][500];
    struct ds_atom atoms[NUM_ATOMS] = {0};
    struct ds_conn conn = {.number = 1};
    struct ds_event small = message_of(&conn, frame, sizeof frame, atoms, 1);
    struct ds_event large = message_of(&conn, frame, sizeof frame, atoms, NUM_ATOMS);
    (void)state;
    for (uint32_t i = 0; i < NUM_ATOMS; i++) {
        memset(texts[i], 'a', sizeof texts[i]);
        atoms[i] = (struct ds_atom){.text = (const uint8_t *)texts[i], .len = sizeof texts[i]};
    }
    for (int begins_large = 0; begins_large < 2; begins_large++) {
        struct record_block block = {.shares_atoms = true};
        uint64_t number = 1;
        size_t num = 0;
        large.message.atom_texts = small.message.atom_texts = number;
        if (!begins_large)
            assert_int_equal(record_block_add_event(&block, &small), COPY_OK);
        do
            large.message.atom_texts = ++number;
        while (record_block_add_event(&block, &large) == COPY_OK);
        const struct copied_record *last = block.last;
        const size_t len = block.len;
        /* Again: it must not be found where nothing was kept. */
        assert_int_equal(record_block_add_event(&block, &large), COPY_FULL);
        assert_true(block.len == len && block.last == last);
        while (record_block_add_event(&block, &small) == COPY_OK)
            num++;
        assert_true(num > 0);
        record_block_clear(&block);
        texts[0][0] = 'z';
        assert_int_equal(record_block_add_event(&block, &large), COPY_OK);
        assert_int_equal(atoms_of(block.first)[0].text[0], 'z');
        assert_int_equal(atoms_of(block.first)[NUM_ATOMS - 1].text[499], 'a');
        texts[0][0] = 'a';
        record_block_free(&block);
    }
}

/* If the rest of a record has no room, its copied parts do not count as copied: its atoms, its
 * connection. */
static void forgets_what_was_taken_back(void **state)
{
    static uint8_t bytes[2 * RECORD_BLOCK_LEN];
    static const struct ds_atom atoms[] = {{.text = (const uint8_t *)"abc", .len = 3, .slot = 4}};
    struct ds_conn conns[] = {{.number = 1, .changes = 1},
                              {.number = 2, .changes = 1, .end[0].node = {"b@h", 3}}};
    struct ds_event before = message_of(&conns[0], bytes, 4, atoms, 1);
    struct ds_event event = message_of(&conns[1], bytes, 4, atoms, 1);
    const struct record large = {.event = &event, .note.from_name = {(const char *)bytes, sizeof bytes}};
    (void)state;
    before.message.atom_texts = 1;
    event.message.atom_texts = 2;
    for (int is_first = 0; is_first < 2; is_first++) {
        struct record_block block = {.shares_atoms = true};
        struct record_view view = {0};
        if (!is_first)
            assert_int_equal(record_block_add_event(&block, &before), COPY_OK);
        assert_int_equal(record_block_add(&block, &large), is_first ? COPY_OK : COPY_FULL);
        for (int i = 0; i < 3; i++)
            assert_int_equal(record_block_add_event(&block, &event), COPY_OK);
        const struct copied_record *copy = block.first;
        for (int i = 0; i < 4; i++, copy = copy->next) {
            const struct ds_event *got = copied_record_get(copy, &view)->event;
            assert_int_equal(got->conn->number, i == 0 && !is_first ? 1 : 2);
            if (got->conn->number == 2)
                assert_memory_equal(got->conn->end[0].node.data, "b@h", 3);
            assert_int_equal(got->message.control.atoms[0].slot, 4);
            assert_memory_equal(got->message.control.atoms[0].text, "abc", 3);
        }
        assert_null(copy);
        record_block_free(&block);
    }
}

/* The facts of a link come with the event that reports them, and with no other: otherwise later
 * records would have them or not, depending on the end of a block. And a copy of one with another
 * connection's keys is not that connection. */
static void facts_are_of_one_event(void **state)
{
    static const uint8_t bytes[10];
    struct ds_tcp_stats link = {.silence_ns = 7};
    struct ds_tls tls = {.version = 0x0304};
    struct ds_conn conn = {.number = 1, .link = &link, .tls = &tls};
    (void)state;
    for (uint64_t changes = 0; changes < 2; changes++) { /* 1: no reported value changes */
        struct record_block block = {0};
        struct record_view view = {0};
        conn.changes = changes;
        const struct ds_event message = big_event(&conn, bytes, sizeof bytes);
        const struct ds_event change = {.type = DS_EVENT_CONN, .conn = &conn};
        const struct ds_event *const events[] = {&message, &change, &message, &message};
        tls.key_updates[1] = 0;
        for (size_t i = 0; i < 4; i++) {
            tls.key_updates[1] += i == 3;
            assert_int_equal(record_block_add_event(&block, events[i]), COPY_OK);
        }
        const struct copied_record *copy = block.first;
        for (size_t i = 0; i < 4; i++, copy = copy->next) {
            const struct ds_conn *got = copied_record_get(copy, &view)->event->conn;
            assert_int_equal(got->link != NULL, i == 1);
            assert_int_equal(got->tls->key_updates[1], i == 3);
        }
        record_block_free(&block);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_for_a_large_record),
        cmocka_unit_test(leaves_nothing_of_the_last_record),
        cmocka_unit_test(keeps_what_a_connection_was),
        cmocka_unit_test(tells_connections_apart),
        cmocka_unit_test(says_that_memory_ran_out),
        cmocka_unit_test(copies_an_event_alone),
        cmocka_unit_test(gives_back_what_it_packed),
        cmocka_unit_test(refers_to_another_copy),
        cmocka_unit_test(exchanges_what_blocks_hold),
        cmocka_unit_test(copies_atoms_once),
        cmocka_unit_test(forgets_atoms_that_did_not_fit),
        cmocka_unit_test(forgets_what_was_taken_back),
        cmocka_unit_test(facts_are_of_one_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
