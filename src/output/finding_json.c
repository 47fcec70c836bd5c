/* finding_json.c - see finding_json.h. */
#include "output/finding_json.h"

struct param_writer {
    struct json_writer *json;
    struct ds_buffer scratch;
};

#define WRITER struct param_writer
#define KEY_TYPE struct json_key
#define KEY(name) JSON_KEY(name)
#define LIST(key) json_put_list(w->json, key)
#define LIST_END() json_put_list_end(w->json)
#define ITEM_TEXT(text) (json_item(w->json), json_value_text(w->json, text))
#define PUT_SIGNED(name, number) json_put_signed(w->json, KEY(name), number)
#define PUT_SPAN(name, ns) json_put_microseconds(w->json, KEY(name "_us"), ns)
#define PUT_PRINTED(name, print)                                                                           \
    do {                                                                                                   \
        w->scratch.len = 0;                                                                                \
        print;                                                                                             \
        json_put_text(w->json, KEY(name), (struct ds_text){w->scratch.data, w->scratch.len});              \
    } while (0)
#include "output/params_write.h"

static void put_fields(const struct finding *finding, struct json_writer *json)
{
    struct param_writer w = {.json = json};
    write_params(&w, finding);
    json->failed |= w.scratch.failed;
    ds_buffer_free(&w.scratch);
}

void finding_params_put(const struct finding *finding, struct json_key key, struct json_writer *json)
{
    if (!finding_has_params(finding))
        return;
    json_put_open(json, key);
    put_fields(finding, json);
    json_put_close(json);
}

void finding_params_print(const struct finding *finding, struct ds_buffer *out)
{
    struct json_writer json = {.out = out};
    if (!finding_has_params(finding))
        return;
    json_begin_object(&json);
    put_fields(finding, &json);
    json_end_object(&json);
    json_writer_free(&json);
}
