/*
 * sink_plantuml.c - a sequence diagram for PlantUML (plantuml.com, "Sequence diagram").
 *
 * A text ends at the end of the line, and may contain much markup: <b>, **, //, ~~, [[...]], \n,
 * %functions() and more. <U+NNNN> in it is the character with that code; all characters except
 * letters, digits and those without a meaning are written so.
 */
#include "output/diagram/diagram.h"

#include <string.h>

static void escape(uint32_t character, struct ds_buffer *out)
{
    static const char plain[] = " ,()@.:{}'";
    bool is_plain = (character >= '0' && character <= '9') ||
                    (character >= 'A' && character <= 'Z') ||
                    (character >= 'a' && character <= 'z') ||
                    (character != 0 && character < 128 && strchr(plain, (int)character) != NULL);
    if (is_plain)
        ds_buffer_add(out, &(char){(char)character}, 1);
    else
        ds_buffer_printf(out, "<U+%04X>", character);
}

static const struct dialect plantuml = {
    .begin = "@startuml\nautonumber\n",
    .end = "@enduml\n",
    .lane = "participant \"",
    .lane_as = "\" as ",
    .lane_end = "\n",
    .lane_text_first = true,
    .message = " -> ",
    .answer = " --> ",
    .note = "note over ",
    .newline = "\\n",
    .max_pixels = 4096,
    .row_pixels = 29,
    .char_pixels = 7,
    .remedy = "set PLANTUML_LIMIT_SIZE",
    .escape = escape,
};

static bool plantuml_open(struct sink *sink)
{
    return diagram_open(sink, &plantuml);
}

const struct sink_kind sink_plantuml = {
    .name = "plantuml",
    .help = "a sequence diagram for PlantUML",
    .open = plantuml_open,
    .record = diagram_record,
    .lost = diagram_lost,
    .end = diagram_end,
    .close = diagram_close,
    .has_temporary = true,
};
