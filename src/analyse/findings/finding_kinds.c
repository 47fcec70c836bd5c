/*
 * finding_kinds.c - see finding_kinds.h.
 */
#include "analyse/findings/finding_kinds.h"

#include <strings.h>

static const struct finding_kind kinds[] = {
#define FINDING(code, severity, rank, title, advice, page)                                             \
    {#code, SEVERITY_##severity, RANK_##rank, title, advice, page},
#include "analyse/findings/findings.def"
#undef FINDING
};

const struct finding_kind *finding_kind_at(size_t i)
{
    return i < FINDING_CODE_COUNT ? &kinds[i] : NULL;
}

const struct finding_kind *finding_kind_find(const char *code)
{
    for (size_t i = 0; i < FINDING_CODE_COUNT; i++) {
        if (strcasecmp(kinds[i].code, code) == 0)
            return &kinds[i];
    }
    return NULL;
}

/* print_folded writes a text in lines of limited length. */
static void print_folded(const char *text, FILE *out)
{
    enum { WIDTH = 80 };
    size_t column = 0;
    while (*text != '\0') {
        size_t len = 0;
        while (text[len] != '\0' && text[len] != ' ' && text[len] != '\n')
            len++;
        if (column != 0 && column + 1 + len > WIDTH) {
            fputc('\n', out);
            column = 0;
        }
        if (column != 0) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, len, out);
        column += len;
        text += len;
        if (*text == '\n') {
            fputc('\n', out);
            column = 0;
        }
        if (*text != '\0')
            text++;
    }
    if (column != 0)
        fputc('\n', out);
}

void finding_explain(const struct finding_kind *kind, FILE *out)
{
    fprintf(out, "%s: %s (%s)\n\n", kind->code, kind->title, severity_name(kind->severity));
    print_folded(kind->page, out);
    fputs("\n", out);
    print_folded("What to do:", out);
    print_folded(kind->advice, out);
}
