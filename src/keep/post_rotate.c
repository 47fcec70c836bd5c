/*
 * post_rotate.c - see post_rotate.h.
 */
#include "keep/post_rotate.h"

#include "core/complain.h"
#include "privsep/file_helper.h"

#include <string.h>

struct side_commands post_rotate_for(const char *command)
{
    return (struct side_commands){.option = "-z", .command = command, .most = SIDE_COMMANDS_MAX};
}

void post_rotate_run(struct side_commands *after, const char *name)
{
    pid_t pid = 0;
    int error;
    if (after->command == NULL)
        return;
    if (!side_commands_have_room(after))
        complain("-z %s is not run for %s: %zu commands are still running", after->command, name,
                 after->most);
    else if ((error = file_helper_spawn(after->command, name, &pid)) != 0)
        complain("cannot run %s for %s: %s", after->command, name, strerror(error));
    if (pid == 0)
        after->failed = true;
    else
        side_commands_add(after, pid);
}
