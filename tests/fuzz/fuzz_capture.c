/*
 * fuzz_capture.c - a session reads whole captures: see fuzz_pcap.h.
 */
#include "fuzz_pcap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct cursor c = cursor_make(data, len);
    struct ds_packet packet = {0};
    struct ds_config config;
    bool big;

    if (!fuzz_read_header(&c, &big, &packet))
        return 0;
    ds_config_init(&config);
    config.on_event = fuzz_on_event;
    config.raw = true;
    config.cookie = (struct ds_text){"secret", 6};
    struct ds_session *session = ds_session_new(&config);
    if (session == NULL)
        return 0;
    while (fuzz_read_packet(&c, big, &packet)) {
        ds_session_packet(session, &packet);
        fuzz_free_packet(&packet);
    }
    fuzz_free_packet(&packet);
    ds_session_end(session);
    ds_session_free(session);
    return 0;
}
