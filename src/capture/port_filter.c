/*
 * port_filter.c - see port_filter.h.
 *
 * In a live capture, the kernel's filter accepts everything that could belong to a port that is still
 * unknown: when EPMD's answer is read, the first packets to that port are already in the ring. Ports
 * that turn out to be busy with other protocols are excluded from it, only to reduce the load.
 *
 * VLAN tags are skipped before an expression is applied, unless it mentions VLANs itself: the kernel
 * does so for tcpdump, and "port 4369" is meant that way.
 */
#include "capture/port_filter.h"

#include "core/complain.h"
#include "capture/bpf_words.h"
#include "capture/kernel_filter.h"
#include "core/printable.h"

#include <distsniff/counted.h>

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NUM_PORTS = 65536,
    BUSY_AFTER = 20000, /* rejected packets */
    MAX_EXCLUDED = 16,
    FIRST_EPHEMERAL = 32768, /* Linux uses ports from here on for clients */
    LINKTYPE_ETHERNET = 1,
};

static const uint32_t link_types[] = {
#define LINK_TYPE(id, number, len, network, ether_type_at, hardware_at) number,
#include <distsniff/link_types.def>
#undef LINK_TYPE
};
enum { NUM_LINK_TYPES = sizeof link_types / sizeof link_types[0] };

/* rule is the compiled expression for one link type. */
struct rule {
    uint32_t link_type;
    struct bpf_program program;
};

struct port_filter {
    struct capture *capture;
    char *expression; /* NULL: accepts everything */
    bool is_learning; /* not --no-follow */
    bool steps_over_vlan;
    bool in_kernel; /* live and --no-follow: only the kernel filters */
    bool with_dns;
    bool all_packets;
    bool is_file_name, is_folder, is_empty;      /* properties of the expression */
    struct bpf_program users_in_kernel; /* live: the compiled expression, for the kernel's filter */
    struct rule *rules;
    size_t num_rules;
    uint64_t num_unruled; /* packets left out whose link type has no rule */
    uint32_t unruled_link_type; /* of the first of them */
    uint64_t unruled_frame;     /* the latest of them */
    struct rule of_quoted; /* for packets that ICMP errors quote; no instructions: no packet matches */
    uint8_t *stripped; /* MAX_SNAPLEN bytes for a packet without VLAN tags */
    uint16_t excluded[MAX_EXCLUDED];
    size_t num_excluded;
    uint8_t learned[NUM_PORTS / 8];
    uint16_t refused[FIRST_EPHEMERAL]; /* number of rejected packets, by port, up to BUSY_AFTER */
};

static bool is_learned(const struct port_filter *f, uint16_t port)
{
    return (f->learned[port / 8] >> port % 8 & 1) != 0;
}

/* read_expression reads the file of -F: an expression in several lines, with comments from # on. */
static char *read_expression(const char *name)
{
    enum { MAX_LEN = 1024 * 1024 };
    FILE *file = fopen(name, "re");
    if (file == NULL) {
        complain("cannot open %s: %s", name, strerror(errno));
        return NULL;
    }
    char *text = malloc(MAX_LEN + 1);
    size_t len = text != NULL ? fread(text, 1, MAX_LEN, file) : 0;
    if (text == NULL || ferror(file) || len == MAX_LEN) {
        complain("cannot read %s: %s", name,
                 len == MAX_LEN ? "too long for a filter" : strerror(errno));
        free(text);
        text = NULL;
    }
    fclose(file);
    bool in_comment = false;
    for (size_t i = 0; text != NULL && i < len; i++) {
        in_comment = text[i] != '\n' && (in_comment || text[i] == '#');
        if (in_comment || text[i] == '\0')
            text[i] = ' ';
    }
    if (text != NULL)
        text[len] = '\0';
    return text;
}

char *port_filter_kernel_expression(const char *expression, const uint16_t *excluded,
                                    size_t num_excluded, bool with_vlan)
{
    /* TCP, GRE, IP in IP, IP fragments, VXLAN on its two ports, GENEVE; all of IPv6 except plain UDP
     * and ICMPv6, because any of these may follow extension headers; ICMP errors, which may be about
     * any of these. */
    struct ds_buffer out = {0};
    ds_buffer_add_text(&out, "((ip[9] = 6 or ip[9] = 47 or ip[9] = 4 or ip[9] = 41 or "
                             "ip[6:2] & 0x1fff != 0 or udp port 4789 or udp port 8472 or "
                             "udp port 6081 or (ip6 and ip6[6] != 17 and ip6[6] != 58) or "
                             "icmp[0] = 3 or icmp[0] = 11 or icmp[0] = 12 or "
                             "(ip6[6] = 58 and ip6[40] < 128))");
    for (size_t i = 0; i < num_excluded; i++)
        ds_buffer_printf(&out, " and not tcp port %u", excluded[i]);
    ds_buffer_add_text(&out, ")");
    if (expression != NULL)
        ds_buffer_printf(&out, " or (%s)", expression);
    if (with_vlan) /* at the end: in libpcap's language it shifts the offsets of everything after it */
        ds_buffer_add_text(&out, " or vlan");
    ds_buffer_add(&out, "", 1);
    if (out.failed)
        ds_buffer_free(&out);
    return out.data;
}

/* Without a filter in the kernel everything works, only more slowly: errors are not reported. */
static void set_kernel_filter(struct port_filter *f)
{
    if (f->expression != NULL && f->users_in_kernel.bf_len == 0)
        return;
    const struct capture_input *input = &f->capture->inputs[0];
    for (int with_vlan = f->steps_over_vlan; with_vlan >= 0; with_vlan--) {
        const char *also = f->with_dns && f->expression == NULL ? "udp port 53" : NULL;
        char *expression =
            port_filter_kernel_expression(also, f->excluded, f->num_excluded, with_vlan != 0);
        bool ok = expression != NULL && kernel_filter_set(input->pcap, input->link_type,
                                                          expression, &f->users_in_kernel);
        free(expression);
        if (ok)
            break;
    }
}

/* is_word says whether an expression is a word that may be a name, or a text to search for, which ngrep
 * expects in the place of the expression. */
static bool is_word(const char *expression)
{
    for (const char *at = expression; *at != '\0'; at++) {
        if (isalnum((unsigned char)*at) == 0 && strchr("_@.:/-", *at) == NULL)
            return false;
    }
    return true;
}

static bool complain_expression(const struct port_filter *f, const char *why)
{
    const char *expression = f->expression;
    const size_t len = strlen(expression);
    if (f->is_folder)
        complain("%s is a directory; to read its files, use %s%s*", expression, expression,
                 expression[len - 1] == '/' ? "" : "/");
    else if (f->is_file_name && f->is_empty)
        complain("%s is empty, not a capture file", expression);
    else if (f->is_file_name)
        complain("bad BPF expression '%s': to read a file, use -r %s", expression, expression);
    else if (is_word(expression))
        complain("bad BPF expression '%s': to search messages, use -e %s; for a process, --process; for a "
                 "node, --node",
                 expression, expression);
    else if (strstr(expression, "==") != NULL || strchr(expression, '"') != NULL)
        complain("bad BPF expression '%s': a display filter is given with -Y: see distsniff --fields",
                 expression);
    else
        complain("bad BPF expression '%s': %s: see pcap-filter(7)", expression, why);
    return false;
}

/* find_rule returns the rule for a link type, NULL if there is none. */
static const struct rule *find_rule(const struct port_filter *f, uint32_t link_type)
{
    for (size_t i = 0; i < f->num_rules; i++) {
        if (f->rules[i].link_type == link_type)
            return &f->rules[i];
    }
    return NULL;
}

/* Compiles for user space: on a handle of its own, because on a live one libpcap makes
 * programs that only the kernel can run. A link type that only some packets of a file may have need not
 * have what the expression speaks of. */
static bool compile(struct port_filter *f, uint32_t link_type, bool is_needed)
{
    if (find_rule(f, link_type) != NULL)
        return true;
    pcap_t *dead = pcap_open_dead(capture_dlt_of(link_type), MAX_SNAPLEN);
    if (dead == NULL) {
        complain("out of memory");
        return false;
    }
    struct rule *rule = &f->rules[f->num_rules];
    rule->link_type = link_type;
    bool ok = pcap_compile(dead, &rule->program, f->expression, 1, PCAP_NETMASK_UNKNOWN) == 0;
    if (!ok && is_needed)
        complain_expression(f, pcap_geterr(dead));
    f->num_rules += ok;
    /* Later fragments of IP packets have no ports: all of them must pass. */
    struct bpf_program wider;
    char *expression = NULL;
    if (ok && f->is_learning &&
        asprintf(&expression, "ip[6:2] & 0x1fff != 0 or (ip6 and ip6[6] = 44) or (%s)",
                 f->expression) >= 0) {
        if (pcap_compile(dead, &wider, expression, 1, PCAP_NETMASK_UNKNOWN) == 0) {
            pcap_freecode(&rule->program);
            rule->program = wider;
        }
        free(expression);
    }
    pcap_close(dead);
    return ok || !is_needed;
}

/* compile_others compiles for all link types that packets of a pcapng file may have. */
static bool compile_others(struct port_filter *f, const struct capture_input *input)
{
    bool ok = true;
    for (size_t i = 0; i < NUM_LINK_TYPES && ok && input->interfaces.has_first; i++)
        ok = compile(f, link_types[i], false);
    return ok;
}

/* An expression that mentions a link layer does not apply to quoted packets. */
static void compile_of_quoted(struct port_filter *f)
{
    pcap_t *dead = pcap_open_dead(DLT_RAW, MAX_SNAPLEN);
    if (dead == NULL)
        return;
    f->of_quoted.link_type = DS_LINK_TYPE_RAW;
    if (pcap_compile(dead, &f->of_quoted.program, f->expression, 1, PCAP_NETMASK_UNKNOWN) != 0)
        f->of_quoted.program = (struct bpf_program){0};
    pcap_close(dead);
}

static bool set_filter_once(struct port_filter *f)
{
    pcap_t *pcap = f->capture->inputs[0].pcap;
    struct bpf_program program;
    if (pcap_compile(pcap, &program, f->expression, 1, PCAP_NETMASK_UNKNOWN) != 0)
        return complain_expression(f, pcap_geterr(pcap));
    bool ok = pcap_setfilter(pcap, &program) == 0;
    if (!ok)
        complain_expression(f, pcap_geterr(pcap));
    pcap_freecode(&program);
    f->in_kernel = ok;
    return ok;
}

static bool prepare(struct port_filter *f, const struct port_filter_config *config)
{
    if (config->filter_file != NULL)
        f->expression = read_expression(config->filter_file);
    else if (config->expression != NULL)
        f->expression = strdup(config->expression);
    if (f->expression == NULL && (config->filter_file != NULL || config->expression != NULL))
        return false;
    if (f->expression != NULL && strspn(f->expression, " \t\r\n") == strlen(f->expression)) {
        free(f->expression);
        f->expression = NULL;
    }
    f->steps_over_vlan = f->expression == NULL || strstr(f->expression, "vlan") == NULL;
    f->is_learning = !config->no_follow;
    f->with_dns = config->with_dns;
    f->all_packets = config->all_packets;
    struct stat is;
    f->is_file_name = f->expression != NULL && stat(f->expression, &is) == 0;
    f->is_empty = f->is_file_name && S_ISREG(is.st_mode) && is.st_size == 0;
    f->is_folder = f->is_file_name && S_ISDIR(is.st_mode);
    for (size_t i = 0; i < config->num_dist_ports && f->is_learning; i++)
        f->learned[config->dist_ports[i] / 8] |= (uint8_t)(1 << config->dist_ports[i] % 8);
    return true;
}

bool port_filter_needs_names(const struct port_filter *f)
{
    return f->expression != NULL && bpf_words_have_names(f->expression);
}

/* compile_for_kernel compiles the user's expression once for the kernel's filter, which is rebuilt as ports
 * become known: names in it can perhaps not be resolved later. Without this filter everything works. */
static void compile_for_kernel(struct port_filter *f)
{
    pcap_t *pcap = f->capture->inputs[0].pcap;
    if (pcap_compile(pcap, &f->users_in_kernel, f->expression, 1, PCAP_NETMASK_UNKNOWN) != 0)
        f->users_in_kernel = (struct bpf_program){0};
}

bool port_filter_widens(const struct port_filter *f)
{
    return f->capture->is_live && f->expression != NULL && f->is_learning;
}

/* begin_locked sets the only filter of a live capture. */
static bool begin_locked(struct port_filter *f)
{
    if (f->expression != NULL && !set_filter_once(f))
        return false;
    if (f->expression == NULL && !f->all_packets)
        set_kernel_filter(f);
    kernel_filter_lock(f->capture->inputs[0].pcap);
    return true;
}

bool port_filter_begin(struct port_filter *f)
{
    if (f->capture->is_live && !port_filter_widens(f))
        return begin_locked(f);
    if (f->expression == NULL)
        return true;

    f->rules = calloc(f->capture->num_inputs + NUM_LINK_TYPES, sizeof *f->rules);
    f->stripped = malloc(MAX_SNAPLEN);
    if (f->rules == NULL || f->stripped == NULL) {
        complain("out of memory");
        return false;
    }
    for (size_t i = 0; i < f->capture->num_inputs; i++) {
        /* The first interfaces of pcapng may be of a type that cannot be read. */
        const uint32_t link_type = f->capture->inputs[i].link_type;
        if (!compile(f, ds_link_type_known(link_type) ? link_type : LINKTYPE_ETHERNET, true))
            return false;
    }
    for (size_t i = 0; i < f->capture->num_inputs; i++) {
        if (!compile_others(f, &f->capture->inputs[i]))
            return false;
    }
    if (f->is_learning)
        compile_of_quoted(f);
    if (f->capture->is_live) {
        compile_for_kernel(f);
        set_kernel_filter(f);
    }
    return true;
}

struct port_filter *port_filter_new(const struct port_filter_config *config, struct capture *capture)
{
    struct port_filter *f = calloc(1, sizeof *f);
    if (f == NULL) {
        complain("out of memory");
        return NULL;
    }
    f->capture = capture;
    if (!prepare(f, config)) {
        port_filter_free(f);
        return NULL;
    }
    return f;
}

bool port_filter_strip_vlan(const struct ds_packet *packet, uint8_t *out, uint32_t *cap_len,
                            uint32_t *len)
{
    enum { ADDRESSES_LEN = 12, TAG_LEN = 4 };
    uint32_t tags_len = 0;
    while (ADDRESSES_LEN + tags_len + TAG_LEN + 2 <= packet->cap_len) {
        const uint8_t *type = packet->data + ADDRESSES_LEN + tags_len;
        unsigned value = (unsigned)type[0] << 8 | type[1];
        if (value != 0x8100 && value != 0x88A8 && value != 0x9100)
            break;
        tags_len += TAG_LEN;
    }
    if (tags_len == 0 || packet->cap_len > MAX_SNAPLEN)
        return false;
    *cap_len = packet->cap_len - tags_len;
    *len = packet->len > tags_len ? packet->len - tags_len : *cap_len;
    memcpy(out, packet->data, ADDRESSES_LEN);
    memcpy(out + ADDRESSES_LEN, packet->data + ADDRESSES_LEN + tags_len,
           *cap_len - ADDRESSES_LEN);
    return true;
}

static bool program_matches(const struct bpf_program *program, const uint8_t *data, uint32_t len,
                            uint32_t cap_len)
{
    const struct pcap_pkthdr header = {.caplen = cap_len, .len = len};
    return pcap_offline_filter(program, &header, data) != 0;
}

static bool matches(const struct port_filter *f, const struct ds_packet *packet)
{
    const struct rule *rule = find_rule(f, packet->link_type);
    if (rule == NULL)
        return false;
    const uint8_t *data = packet->data;
    uint32_t cap_len = packet->cap_len;
    uint32_t len = packet->len;
    if (packet->link_type == LINKTYPE_ETHERNET && f->steps_over_vlan &&
        port_filter_strip_vlan(packet, f->stripped, &cap_len, &len))
        data = f->stripped;
    return program_matches(&rule->program, data, len, cap_len);
}

/* matches_quoted says whether a packet is an ICMP error about a packet that matches. */
static bool matches_quoted(const struct port_filter *f, const struct ds_packet *packet)
{
    const struct bpf_program *program = &f->of_quoted.program;
    struct ds_packet quoted;
    return program->bf_len != 0 && ds_packet_quoted(packet, &quoted) &&
           program_matches(program, quoted.data, quoted.len, quoted.cap_len);
}

/* note_refused counts a rejected packet for the port of the side that listens, which may turn out to be
 * busy. */
static void note_refused(struct port_filter *f, uint16_t src, uint16_t dst)
{
    uint16_t port = src < dst ? src : dst;
    if (port >= FIRST_EPHEMERAL || f->refused[port] == BUSY_AFTER ||
        ++f->refused[port] < BUSY_AFTER || f->num_excluded == MAX_EXCLUDED)
        return;
    f->excluded[f->num_excluded++] = port;
    set_kernel_filter(f);
}

/* note_unruled counts a rejected packet that the expression says nothing of. One that opens a connection
 * may be asked for twice. */
static void note_unruled(struct port_filter *f, const struct ds_packet *packet)
{
    if (find_rule(f, packet->link_type) != NULL || !ds_link_type_known(packet->link_type) ||
        packet->frame == f->unruled_frame)
        return;
    f->unruled_frame = packet->frame;
    if (f->num_unruled++ == 0)
        f->unruled_link_type = packet->link_type;
}

/* say_unruled tells how many there were. */
static void say_unruled(const struct port_filter *f)
{
    const char *name = pcap_datalink_val_to_name(capture_dlt_of(f->unruled_link_type));
    if (f->num_unruled != 0)
        complain("'%s' does not apply to %s of other link types, which are left out; the first is of %s "
                 "(%u)",
                 f->expression, ds_counted(f->num_unruled, "packets").text,
                 name != NULL ? name : "unknown", f->unruled_link_type);
}

/* passes_rules checks a packet against the expression and the learned ports. */
static bool passes_rules(struct port_filter *f, const struct ds_packet *packet)
{
    uint16_t src, dst;
    if (matches(f, packet))
        return true;
    if (!f->is_learning || !ds_packet_ports(packet, &src, &dst))
        return false;
    if (is_learned(f, src) || is_learned(f, dst) || matches_quoted(f, packet))
        return true;
    if (f->capture->is_live)
        note_refused(f, src, dst);
    return false;
}

static __attribute__((noinline)) bool passes(struct port_filter *f, const struct ds_packet *packet)
{
    const bool is_passed = passes_rules(f, packet);
    if (!is_passed)
        note_unruled(f, packet);
    return is_passed;
}

bool port_filter_pass(struct port_filter *f, const struct ds_packet *packet)
{
    return f->expression == NULL || f->in_kernel || passes(f, packet);
}

bool port_filter_may_yet_pass(const struct port_filter *f, const struct ds_packet *packet)
{
    return f->expression != NULL && f->is_learning && !f->in_kernel && ds_packet_opens(packet);
}

/* include_again re-includes a port that was excluded as busy with another protocol. */
static void include_again(struct port_filter *f, uint16_t port)
{
    for (size_t i = 0; i < f->num_excluded; i++) {
        if (f->excluded[i] == port) {
            f->excluded[i] = f->excluded[--f->num_excluded];
            set_kernel_filter(f);
            return;
        }
    }
}

void port_filter_learn(struct port_filter *f, uint16_t port, struct ds_text name)
{
    if (!f->is_learning || is_learned(f, port))
        return;
    f->learned[port / 8] |= (uint8_t)(1 << port % 8);
    if (f->expression == NULL)
        return;
    if (f->capture->is_live)
        include_again(f, port);
    struct ds_buffer text = {0};
    ds_buffer_printf(&text, "following port %u", port);
    if (name.len != 0) {
        ds_buffer_add_text(&text, " (");
        printable_text(name, &text);
        ds_buffer_add_text(&text, ")");
    }
    ds_buffer_add(&text, "\n", 1);
    if (!text.failed)
        fwrite(text.data, 1, text.len, stderr);
    ds_buffer_free(&text);
}

void port_filter_free(struct port_filter *f)
{
    if (f == NULL)
        return;
    say_unruled(f);
    for (size_t i = 0; i < f->num_rules; i++)
        pcap_freecode(&f->rules[i].program);
    pcap_freecode(&f->users_in_kernel);
    pcap_freecode(&f->of_quoted.program);
    free(f->rules);
    free(f->stripped);
    free(f->expression);
    free(f);
}
