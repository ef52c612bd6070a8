/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_parts.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "testing/ptest/record_value.h"

extern char **environ;

/* How names begin that may change the numbers of a run. */
static const char *const taken[] = {
    /* this program, threads, BLAS libraries */
    "XHPL_", "OMP_", "GOMP_", "KMP_", "OPENBLAS_", "GOTO_", "BLIS_", "MKL_",
    "ARMPL_",
    /* MPI libraries and what they stand on */
    "OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_", "MPICH_", "MPIR_CVAR_", "I_MPI_",
    "UCX_", "HCOLL_", "FI_", "PSM2_", "HWLOC_",
    /* the size and the binding of a job */
    "SLURM_NNODES", "SLURM_NPROCS", "SLURM_NTASKS", "SLURM_CPUS_",
    "SLURM_TASKS_PER_NODE", "SLURM_JOB_NUM_NODES", "SLURM_JOB_CPUS_PER_NODE",
    "SLURM_THREADS_PER_CORE", "SLURM_CPU_", "SLURM_MEM_BIND",
    "SLURM_DISTRIBUTION", "SLURM_HINT", "SLURM_GPUS",
    /* devices, and what programs are made of */
    "CUDA_", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_BIND_NOW", "GLIBC_TUNABLES",
    "MALLOC_"};

/* Of these, what launchers tell their own processes: other in each job. */
static const char *const of_launchers[] = {
    "OMPI_MCA_orte_", "OMPI_MCA_ess_base_", "OMPI_MCA_initial_wdir",
    "PRTE_MCA_prte_", "PRTE_MCA_ess_base_"};

/* What names have within them whose values are nobody's business. */
static const char *const secret[] = {"KEY",    "TOKEN", "PASSW",
                                     "SECRET", "AUTH",  "CREDENTIAL"};

enum {
    TAKEN = sizeof(taken) / sizeof(taken[0]),
    OF_LAUNCHERS = sizeof(of_launchers) / sizeof(of_launchers[0]),
    SECRET = sizeof(secret) / sizeof(secret[0]),
    NAME_SIZE = 128 /* of a name: a longer one is none of ours */
};

static bool begins(const char *name, const char *const *start, int count)
{
    for (int i = 0; i < count; i++)
        if (strncmp(name, start[i], strlen(start[i])) == 0)
            return true;
    return false;
}

/* In upper or lower case. */
static bool is_secret(const char *name)
{
    char upper[NAME_SIZE] = "";

    for (int i = 0; name[i] != '\0'; i++)
        upper[i] = (char)toupper((unsigned char)name[i]);
    for (int i = 0; i < SECRET; i++)
        if (strstr(upper, secret[i]) != NULL)
            return true;
    return false;
}

static bool is_wanted(const char *name)
{
    return begins(name, taken, TAKEN) &&
           !begins(name, of_launchers, OF_LAUNCHERS) && !is_secret(name);
}

/* "NAME=value" */
static void add(json_t *object, const char *entry)
{
    const char *value = strchr(entry, '=');
    char name[NAME_SIZE] = "";

    if (value == NULL || value - entry >= NAME_SIZE)
        return;
    memcpy(name, entry, (size_t)(value - entry));
    if (!is_wanted(name))
        return;
    if (value[1] == '\0')
        json_object_set_new(object, name, json_string(""));
    else
        xhpl_json_set_text(object, name, value + 1);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

json_t *xhpl_record_environment(void)
{
    json_t *object = json_object();
    size_t count = 0;
    char **sorted;

    while (environ != NULL && environ[count] != NULL)
        count++;
    sorted = calloc(count + 1, sizeof(*sorted));
    if (sorted == NULL)
        return object;
    if (count > 0)
        memcpy(sorted, environ, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), by_name);
    for (size_t i = 0; i < count; i++)
        add(object, sorted[i]);
    free(sorted);
    return object;
}
