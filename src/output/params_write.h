/*
 * params_write.h - writes the parameters of a finding in one format, from the rows of
 * record/finding_params.def.
 *
 * It is a template like fields_write.h, and needs some of the same macros: finding_json.c includes
 * it for JSON, sink_maps.c for maps.
 */
/* The number of a parameter; its text; or the texts of all parts with that parameter. */
#define PARAM_NUMBER(name) PUT_SIGNED(#name, text->number[text->part[i].number - 1])
#define PARAM_SPAN(name) PUT_SPAN(#name, text->number[text->part[i].number - 1])
#define PARAM_TEXT(name) PUT_PRINTED(#name, wording_print_param(text, i, &w->scratch))
#define PARAM_TEXTS(name) write_param_texts(w, KEY(#name), finding, PARAM_##name)

static void write_param_texts(WRITER *w, KEY_TYPE key, const struct finding *finding,
                              enum finding_param param)
{
    const struct wording *texts[] = {&finding->sentence, &finding->detail};
    LIST(key);
    for (size_t t = 0; t < 2; t++) {
        for (size_t i = 0; i < texts[t]->num; i++) {
            if (texts[t]->part[i].param != param || !texts[t]->part[i].begins)
                continue;
            w->scratch.len = 0;
            wording_print_param(texts[t], i, &w->scratch);
            ITEM_TEXT(((struct ds_text){w->scratch.data, w->scratch.len}));
        }
    }
    LIST_END();
}

static void write_param(WRITER *w, const struct finding *finding, const struct wording *text, size_t i)
{
    switch ((enum finding_param)text->part[i].param) {
#define PARAM(name, kind, help)                                                                            \
    case PARAM_##name:                                                                                     \
        PARAM_##kind(name);                                                                                \
        break;
#include "record/finding_params.def"
#undef PARAM
    case PARAM_NONE:
    case PARAM_COUNT:
        break;
    }
}

/* write_params writes the fields of an object: each parameter once, with the value from its first
 * occurrence. */
static void write_params(WRITER *w, const struct finding *finding)
{
    const struct wording *texts[] = {&finding->sentence, &finding->detail};
    bool is_written[PARAM_COUNT] = {false};
    for (size_t t = 0; t < 2; t++) {
        for (size_t i = 0; i < texts[t]->num; i++) {
            const uint8_t param = texts[t]->part[i].param;
            if (param == PARAM_NONE || !texts[t]->part[i].begins || is_written[param])
                continue;
            is_written[param] = true;
            write_param(w, finding, texts[t], i);
        }
    }
}
