/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * What stands in a bundle's bin/ for each of its programs: it points the
 * loader and MPI to the bundle, wherever that was unpacked, and becomes
 * libexec/<its own name>. Linked statically, it needs nothing of the machine.
 */

/* The folder two levels above this program, and the program's name. */
static void find_self(char *root, char *name)
{
    ssize_t length = readlink("/proc/self/exe", root, PATH_MAX - 1);
    char *slash;
    int level;

    if (length < 0) {
        fprintf(stderr, "cannot read /proc/self/exe: %s\n", strerror(errno));
        exit(3);
    }
    root[length] = '\0';
    for (level = 0; level < 2; level++) {
        slash = strrchr(root, '/');
        if (slash == NULL)
            break;
        if (level == 0)
            strcpy(name, slash + 1);
        *slash = '\0';
    }
}

/* Put root/folder in front of the list in variable. */
static void prepend(const char *variable, const char *root, const char *folder)
{
    const char *old = getenv(variable);
    char *value;

    if (asprintf(&value, "%s/%s%s%s", root, folder,
                 old != NULL && old[0] != '\0' ? ":" : "",
                 old != NULL ? old : "") < 0)
        exit(3);
    setenv(variable, value, 1);
    free(value);
}

/* Is name in a folder of PATH? */
static int is_command(const char *name)
{
    char *folders = strdup(getenv("PATH")), *rest, *folder, *path;
    int found = 0;

    for (folder = strtok_r(folders, ":", &rest); folder != NULL && !found;
         folder = strtok_r(NULL, ":", &rest)) {
        if (asprintf(&path, "%s/%s", folder, name) < 0)
            exit(3);
        found = access(path, X_OK) == 0;
        free(path);
    }
    free(folders);
    return found;
}

static void point_mpi(const char *root)
{
    static const struct {
        const char *variable, *folder;
    } places[] = {
        {"OPAL_PREFIX", "mpi"},
        {"OPAL_BINDIR", "bin"},
        {"OPAL_PKGLIBDIR", "mpi/openmpi"},
        {"OPAL_PKGDATADIR", "mpi/share"},
        {"PMIX_INSTALL_PREFIX", "mpi"},
        {"PMIX_MCA_mca_base_component_path", "mpi/pmix"},
    };
    char path[PATH_MAX + 16];
    size_t i;

    for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", root, places[i].folder);
        setenv(places[i].variable, path, 1);
    }
    /* PMIx looks in the machine's folder first, whose components may be of
     * another version: the optional ones are not needed. */
    setenv("PMIX_MCA_pcompress", "^zlib", 0);
    setenv("PMIX_MCA_pcompress_base_silence_warning", "1", 0);
    setenv("PMIX_MCA_prm", "^default,slurm", 0);
    setenv("HWLOC_HIDE_ERRORS", "2", 0); /* of a machine without /sys */
    if (!is_command("ssh") && !is_command("rsh"))
        setenv("OMPI_MCA_plm", "isolated", 0); /* this machine only */
    if (geteuid() == 0) {                      /* a container's only user */
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    }
}

int main(int argc, char **argv)
{
    char root[PATH_MAX], name[PATH_MAX], program[2 * PATH_MAX];

    (void)argc;
    find_self(root, name);
    prepend("LD_LIBRARY_PATH", root, "lib");
    prepend("PATH", root, "bin");
    point_mpi(root);
    snprintf(program, sizeof(program), "%s/libexec/%s", root, name);
    execv(program, argv);
    fprintf(stderr, "%s: %s\n", program, strerror(errno));
    return 3;
}
