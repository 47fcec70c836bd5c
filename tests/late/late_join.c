/*
 * late_join.c - decodes a capture whole and then from a part of it on, or without some of its
 * packets, and holds each atom of each message of the second against the first.
 *
 *     late_join [--certain] [--learned | --twice] [--from PERCENT | --drop PERCENT] FILE
 *
 * It prints one line: the messages that both runs have, in percent those whose atoms are all known
 * without likely ones and with them, atoms that are likely, and atoms that are wrong: firm and
 * likely. --learned: the part that is cut off has been decoded by an earlier run, which remembered
 * what it learned; --twice: the same packets were. Exit status 1: an atom is wrong that is firm, or,
 * where no packets were dropped, likely.
 */
#include <distsniff/dissect.h>

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
    uint64_t frame;
    uint64_t hash; /* of sender and bytes */
    uint32_t num_atoms;
    struct ds_atom *atoms; /* with texts of their own */
};

struct tally {
    struct message *whole;
    size_t num, cap, at;
    bool first; /* run */
    bool all;   /* connections, not only those that were joined late */
    bool late[65536]; /* connections that were */
    uint64_t messages, readable, readable_firm, likely, wrong_firm, wrong_likely, refs;
    bool verbose;
};

static uint64_t hash_of(const struct ds_event *event)
{
    uint64_t hash = 1469598103934665603u;
    const struct ds_term *term = &event->message.control;
    for (size_t i = 0; i < term->len; i++)
        hash = (hash ^ term->data[i]) * 1099511628211u;
    const struct ds_endpoint *end = &event->conn->end[event->dir];
    hash = (hash ^ end->port) * 1099511628211u;
    return hash ^ event->message.size << 40;
}

static void remember(struct tally *tally, const struct ds_event *event)
{
    if (tally->num == tally->cap) {
        tally->cap = tally->cap * 2 + 1024;
        tally->whole = realloc(tally->whole, tally->cap * sizeof *tally->whole);
    }
    struct message *m = &tally->whole[tally->num++];
    const struct ds_term *term = &event->message.control;
    *m = (struct message){event->frame, hash_of(event), term->num_atoms, NULL};
    m->atoms = calloc(term->num_atoms + 1, sizeof *m->atoms);
    for (uint32_t i = 0; i < term->num_atoms; i++) {
        m->atoms[i] = term->atoms[i];
        if (term->atoms[i].text != NULL) {
            uint8_t *text = malloc(term->atoms[i].len + 1u);
            memcpy(text, term->atoms[i].text, term->atoms[i].len);
            m->atoms[i].text = text;
        }
    }
}

static bool differ(const struct ds_atom *a, const struct ds_atom *b)
{
    return a->len != b->len || memcmp(a->text, b->text, a->len) != 0;
}

static void compare(struct tally *tally, const struct ds_event *event)
{
    const struct ds_term *term = &event->message.control;
    const uint64_t hash = hash_of(event);
    if (!tally->all && !tally->late[event->conn->number % 65536])
        return;
    while (tally->at < tally->num && tally->whole[tally->at].frame < event->frame)
        tally->at++;
    size_t i = tally->at;
    while (i < tally->num && tally->whole[i].frame == event->frame && tally->whole[i].hash != hash)
        i++;
    if (i >= tally->num || tally->whole[i].frame != event->frame ||
        tally->whole[i].num_atoms != term->num_atoms)
        return;
    const struct message *m = &tally->whole[i];
    bool readable = true, firm = true;
    for (uint32_t a = 0; a < term->num_atoms; a++) {
        const struct ds_atom *got = &term->atoms[a], *want = &m->atoms[a];
        if (!ds_atom_is_certain(want->state))
            continue; /* unknown in the whole, too */
        tally->refs++;
        if (got->state == DS_ATOM_ADDRESS) { /* as good as it gets: it must be a node */
            tally->wrong_firm += memchr(want->text, '@', want->len) == NULL;
            continue;
        }
        readable = readable && ds_atom_has_name(got->state);
        firm = firm && ds_atom_is_certain(got->state);
        tally->likely += got->state == DS_ATOM_LIKELY;
        if (!ds_atom_has_name(got->state) || !differ(got, want))
            continue;
        if (ds_atom_is_certain(got->state))
            tally->wrong_firm++;
        else
            tally->wrong_likely++;
        if (tally->verbose)
            fprintf(stderr, "packet %llu slot %u: %s %.*s is %.*s\n",
                    (unsigned long long)event->frame, got->slot,
                    got->state == DS_ATOM_LIKELY ? "likely" : "firm", got->len,
                    (const char *)got->text, want->len, (const char *)want->text);
    }
    tally->messages++;
    tally->readable += readable;
    tally->readable_firm += firm;
}

static void on_event(void *context, const struct ds_event *event)
{
    struct tally *tally = context;
    if (!tally->first && event->type == DS_EVENT_CONN &&
        event->change.state == DS_CONN_JOINED_LATE)
        tally->late[event->conn->number % 65536] = true;
    if (event->type != DS_EVENT_MESSAGE || event->message.control.data == NULL)
        return;
    if (tally->first)
        remember(tally, event);
    else
        compare(tally, event);
}

static pcap_t *open_pcap(const char *name)
{
    char command[4096], error[PCAP_ERRBUF_SIZE];
    const char *tool = strstr(name, ".gz") != NULL ? "gzip" : strstr(name, ".zst") != NULL ? "zstd" : NULL;
    if (tool == NULL)
        return pcap_open_offline_with_tstamp_precision(name, PCAP_TSTAMP_PRECISION_NANO, error);
    snprintf(command, sizeof command, "%s -dc '%s'", tool, name);
    FILE *file = popen(command, "r");
    return file == NULL ? NULL
                        : pcap_fopen_offline_with_tstamp_precision(
                              file, PCAP_TSTAMP_PRECISION_NANO, error);
}

/* A run takes the packets from number first on, up to last, and leaves out some of them. */
struct run {
    uint64_t first, last;
    unsigned drop;
};

static uint64_t feed(struct ds_session *session, const char *name, struct run run)
{
    pcap_t *pcap = open_pcap(name);
    struct pcap_pkthdr *header;
    const u_char *bytes;
    uint64_t frame = 0;
    uint32_t random = 12345;
    if (pcap == NULL) {
        fprintf(stderr, "%s: cannot be read\n", name);
        exit(2);
    }
    while (pcap_next_ex(pcap, &header, &bytes) == 1) {
        const struct ds_packet packet = {
            .ts_ns = (int64_t)header->ts.tv_sec * 1000000000 + header->ts.tv_usec,
            .frame = ++frame,
            .link_type = (uint32_t)pcap_datalink(pcap) == 12 ? 101 : (uint32_t)pcap_datalink(pcap),
            .data = bytes,
            .cap_len = header->caplen,
            .len = header->len,
        };
        random = random * 1664525 + 1013904223;
        if (frame < run.first || frame > run.last || (random >> 8) % 100 < run.drop)
            continue;
        if (session != NULL)
            ds_session_packet(session, &packet);
    }
    pcap_close(pcap);
    return frame;
}

static void keep_learned(void *context, const struct ds_learned *learned)
{
    (void)ds_atom_memory_add(context, learned);
}

int main(int argc, char **argv)
{
    static struct tally tally;
    struct ds_config config;
    unsigned from = 0, drop = 0;
    bool certain = false, learned = false, twice = false;
    const char *name = NULL;
    ds_config_init(&config);
    config.on_event = on_event;
    config.context = &tally;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--certain") == 0)
            certain = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            tally.verbose = true;
        else if (strcmp(argv[i], "--learned") == 0)
            learned = true;
        else if (strcmp(argv[i], "--twice") == 0)
            twice = true;
        else if (strcmp(argv[i], "--from") == 0 && i + 1 < argc)
            from = (unsigned)atoi(argv[++i]);
        else if (strcmp(argv[i], "--drop") == 0 && i + 1 < argc)
            drop = (unsigned)atoi(argv[++i]);
        else
            name = argv[i];
    }
    if (name == NULL)
        return 2;
    tally.first = true;
    struct ds_session *session = ds_session_new(&config);
    const uint64_t num = feed(session, name, (struct run){0, UINT64_MAX, 0});
    ds_session_end(session);
    ds_session_free(session);

    tally.first = false;
    tally.all = drop != 0;
    config.certain = certain;
    const uint64_t first = num * from / 100 + 1;
    struct ds_atom_memory *memory = ds_atom_memory_new(256);
    if (learned || twice) {
        struct ds_atom_memory *earlier = ds_atom_memory_new(256);
        const ds_event_fn listen = config.on_event;
        config.on_event = NULL;
        config.atom_memory = learned ? earlier : memory;
        config.learn = learned;
        session = ds_session_new(&config);
        feed(session, name,
             learned ? (struct run){0, first - 1, 0} : (struct run){first, UINT64_MAX, drop});
        ds_session_end(session);
        ds_session_free(session);
        config.on_event = listen;
        if (learned)
            ds_atom_memory_each(earlier, keep_learned, memory);
        ds_atom_memory_free(earlier);
    }
    config.atom_memory = memory;
    session = ds_session_new(&config);
    feed(session, name, (struct run){first, UINT64_MAX, drop});
    ds_session_end(session);
    ds_session_free(session);
    ds_atom_memory_free(memory);
    const double all = tally.messages != 0 ? (double)tally.messages : 1;
    printf("%7llu %5.1f %5.1f %7llu %llu %llu\n", (unsigned long long)tally.messages,
           100 * (double)tally.readable_firm / all, 100 * (double)tally.readable / all,
           (unsigned long long)tally.likely, (unsigned long long)tally.wrong_firm,
           (unsigned long long)tally.wrong_likely);
    return tally.wrong_firm != 0 || (drop == 0 && tally.wrong_likely != 0);
}
