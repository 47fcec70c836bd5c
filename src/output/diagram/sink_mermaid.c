/*
 * sink_mermaid.c - a sequence diagram for Mermaid, which GitHub and GitLab draw wherever Markdown
 * is shown (mermaid.js.org, "Sequence diagrams").
 *
 * A text ends at the end of the line or at a semicolon; #NN; in it is the character with that code.
 * All characters with a meaning in any part of Mermaid or in HTML are written so, and all that are
 * not ASCII, as Mermaid uses some of these itself.
 */
#include "output/diagram/diagram.h"

#include <string.h>

static void escape(uint32_t character, struct ds_buffer *out)
{
    static const char special[] = "#;:<>&%$\\`~";
    bool plain = character >= ' ' && character < 0x7f && strchr(special, (int)character) == NULL;
    if (plain)
        ds_buffer_add(out, &(char){(char)character}, 1);
    else
        ds_buffer_printf(out, "#%u;", character);
}

static const struct dialect mermaid = {
    .begin = "sequenceDiagram\n    autonumber\n",
    .end = "",
    .lane = "    participant ",
    .lane_as = " as ",
    .lane_end = "\n",
    .message = "->>",
    .answer = "-->>",
    .note = "    Note over ",
    .newline = "<br/>",
    .max_chars = 50000,
    .remedy = "raise maxTextSize",
    .escape = escape,
};

static bool mermaid_open(struct sink *sink)
{
    return diagram_open(sink, &mermaid);
}

const struct sink_kind sink_mermaid = {
    .name = "mermaid",
    .help = "a sequence diagram for Mermaid",
    .open = mermaid_open,
    .record = diagram_record,
    .lost = diagram_lost,
    .end = diagram_end,
    .close = diagram_close,
    .has_temporary = true,
};
