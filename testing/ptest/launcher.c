/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/launcher.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"

/*
 * Environment variables that launchers set. For Slurm they are those of srun: a
 * batch script has SLURM_PROCID and SLURM_NTASKS too, and is one process.
 */
static const struct {
    const char *size, *rank, *name;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "mpirun of Open MPI"},
    {"PMI_SIZE", "PMI_RANK", "mpiexec of MPICH or Intel MPI"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun of Slurm"}};

enum { LAUNCHERS = sizeof(launchers) / sizeof(launchers[0]) };

static int number(const char *variable)
{
    const char *text = getenv(variable);

    return text != NULL ? (int)strtol(text, NULL, 10) : 0;
}

/* MPICH says "MPICH Version:", blanks, "4.0.2". */
void xhpl_mpi_library(char *text_p)
{
    static const char word[] = " Version:";
    char *found, *number;
    int length;

    MPI_Get_library_version(text_p, &length);
    text_p[strcspn(text_p, "\n")] = '\0';
    found = strstr(text_p, word);
    if (found == NULL)
        return;
    number = found + strlen(word);
    number += strspn(number, " \t");
    memmove(found + 1, number, strlen(number) + 1);
}

static void report(int launcher, int count)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];

    xhpl_mpi_library(library);
    library[strcspn(library, ",")] = '\0';
    xh_log_error(
        "%s started %d processes, but each runs alone, because this xhpl was "
        "built with %s, which does not know that launcher. Use the launcher of "
        "that library, rebuild with the launcher's library, or unset %s to run "
        "one process%s",
        launchers[launcher].name, count, library, launchers[launcher].size,
        launcher == 2 ? " (srun --mpi=list names what srun can do)" : "");
}

xh_status_t xhpl_launcher_check(int processes)
{
    int count, found = -1;

    if (processes > 1)
        return XH_OK;
    for (int i = 0; i < LAUNCHERS; i++) {
        count = number(launchers[i].size);
        if (count == 1) /* the last launcher started one */
            return XH_OK;
        if (count > 1 && found < 0)
            found = i;
    }
    if (found < 0)
        return XH_OK;
    if (number(launchers[found].rank) == 0)
        report(found, number(launchers[found].size));
    return XH_ERR_INPUT;
}
