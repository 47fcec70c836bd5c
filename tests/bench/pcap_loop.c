/* The least that reading a capture costs: libpcap's loop, touching each packet's ports. */
#include <pcap/pcap.h>
#include <stdint.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char error[PCAP_ERRBUF_SIZE];
    pcap_t *pcap = argc == 2 ? pcap_open_offline(argv[1], error) : NULL;
    if (pcap == NULL) {
        fprintf(stderr, "usage: pcap_loop FILE\n");
        return 2;
    }
    struct pcap_pkthdr *header;
    const u_char *data;
    uint64_t num = 0, bytes = 0, sum = 0;
    while (pcap_next_ex(pcap, &header, &data) == 1) {
        num++;
        bytes += header->caplen;
        sum += header->caplen > 37 ? data[36] + data[37] : 0;
    }
    printf("%llu packets, %llu bytes (%llu)\n", (unsigned long long)num,
           (unsigned long long)bytes, (unsigned long long)sum);
    pcap_close(pcap);
    return 0;
}
