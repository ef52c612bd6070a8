/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rivals.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "testing/unit/unit.h"

/* Processes that compute until end() ends them, of this user and with this
 * name; NULL: with that of this program. They are eight, so that they stand out
 * on a machine on which much else runs. */
static pid_t busy_of(uid_t user, const char *name)
{
    pid_t child = fork();

    if (child != 0) {
        setpgid(child, child);
        return child;
    }
    setpgid(0, 0);
    if (name != NULL)
        prctl(PR_SET_NAME, name);
    if (setuid(user) != 0)
        _exit(1);
    for (int i = 0; i < 3; i++)
        (void)!fork();
    for (volatile unsigned i = 0;; i++)
        ;
}

static pid_t busy(const char *name)
{
    return busy_of(getuid(), name);
}

static void end(pid_t child)
{
    kill(-child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* What is said once it names word: a machine may be so busy that a rival gets
 * no core for a while. */
static xh_rivals_t seen(const char *word)
{
    xh_rivals_t found = xh_rivals_now();

    for (int i = 0; i < 100 && strstr(found.text, word) == NULL; i++)
        found = xh_rivals_now();
    return found;
}

TEST(a_program_that_computes_beside_this_one_is_named)
{
    pid_t child = busy("a\tbusy (one)");
    xh_rivals_t found = seen("busy");

    end(child);
    assert_in(found.text, "a?busy (one)");
}

/* A program like busy_of's, run from a file of that name. */
static pid_t busy_script(const char *path)
{
    FILE *file = fopen(path, "w");
    pid_t child;

    assert_non_null(file);
    fputs("#!/bin/sh\n"
          "for i in 1 2 3 4 5 6 7; do\n"
          "    while :; do :; done &\n"
          "done\n"
          "while :; do :; done\n",
          file);
    fclose(file);
    assert_return_code(chmod(path, 0700), 0);
    child = fork();
    if (child == 0) {
        setpgid(0, 0);
        execl(path, path, (char *)NULL);
        _exit(1);
    }
    setpgid(child, child);
    return child;
}

TEST(a_long_name_is_whole_and_has_process_and_user)
{
    char folder[] = "/tmp/test_rivals_XXXXXX", path[64];
    const char *said;
    pid_t child, group;
    long process = 0;
    xh_rivals_t found;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/compiles-all-the-night", folder);
    child = busy_script(path);
    found = seen("compiles");
    said = strstr(found.text, "compiles-all-the-night PID ");
    if (said != NULL)
        sscanf(said, "compiles-all-the-night PID %ld of ", &process);
    group = getpgid((pid_t)process);
    end(child);
    unlink(path);
    rmdir(folder);
    assert_int_equal(group, child);
}

TEST(this_program_is_no_rival_of_itself)
{
    pid_t child = busy(NULL);
    xh_rivals_t found = xh_rivals_now();

    end(child);
    assert_null(strstr(found.text, "test_rivals"));
}

TEST(the_same_program_of_another_user_is_named)
{
    pid_t child;
    xh_rivals_t found;

    if (getuid() != 0)
        skip();
    child = busy_of(1, NULL);
    found = seen("test_rivals");
    end(child);
    assert_in(found.text, "test_rivals PID ");
}
