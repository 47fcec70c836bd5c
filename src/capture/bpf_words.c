/*
 * bpf_words.c - see bpf_words.h. A word that is missing here is only mistaken for a name.
 */
#include "capture/bpf_words.h"

#include <stddef.h>
#include <string.h>

static const char *const words[] = {
    "and", "or", "not", "src", "dst", "host", "net", "mask", "port", "portrange", "proto",
    "protochain", "gateway", "len", "length", "less", "greater", "ether", "link", "ip", "ip6",
    "tcp", "udp", "sctp", "icmp", "icmp6", "arp", "rarp", "vlan", "mpls", "broadcast",
    "multicast", "inbound", "outbound", "ifindex", "type", "subtype", "dir", "ra", "ta",
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_known(const char *word, size_t len)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == len && memcmp(words[i], word, len) == 0)
            return true;
    }
    return false;
}

/* Words include digits, points and so on: a single 0x7f, fe80::1 or 10.0.0.1 is a number. Words such as
 * tcp-syn are constants. */
bool bpf_words_have_names(const char *expression)
{
    static const char inside[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789_.:-";
    for (const char *at = expression; *at != '\0';) {
        const size_t len = strspn(at, inside);
        const bool is_constant = strncmp(at, "tcp-", 4) == 0 || strncmp(at, "tcpflags", 8) == 0 ||
                                 strncmp(at, "icmp-", 5) == 0 || strncmp(at, "icmptype", 8) == 0;
        const bool is_number = strspn(at, "0123456789abcdefABCDEFxX.:-") >= len &&
                               (!is_letter(at[0]) || memchr(at, ':', len) != NULL);
        if (len != 0 && !is_number && !is_constant && !is_known(at, len))
            return true;
        at += len != 0 ? len : 1;
    }
    return false;
}
