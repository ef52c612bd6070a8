/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "testing/ptest/record_parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/blas_library.h"
#include "base/settings.h"
#include "facts.h" /* made by the Makefile: XH_REVISION, XH_COMPILE */
#include "testing/json/json.h"
#include "testing/ptest/launcher.h"
#include "testing/ptest/processes.h"

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* Like xh_json_text, but an empty text stays a text. */
static json_t *text_or_empty(const char *text)
{
    return text[0] == '\0' ? json_string("") : xh_json_text(text);
}

/* ---- the program and its libraries --------------------------------------- */

json_t *xhpl_record_program(void)
{
    return XH_JSON_OBJECT({"name", xh_json_text("xhpl")},
                          {"version", xh_json_text(XH_VERSION)},
                          {"revision", xh_json_text(XH_REVISION)},
                          {"compiler", xh_json_text(COMPILER)},
                          {"compile_command", xh_json_text(XH_COMPILE)});
}

static const char *thread_level(void)
{
    int level;

    MPI_Query_thread(&level);
    if (level == MPI_THREAD_SINGLE)
        return "single";
    if (level == MPI_THREAD_FUNNELED)
        return "funneled";
    return level == MPI_THREAD_SERIALIZED ? "serialized" : "multiple";
}

json_t *xhpl_record_mpi(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING], standard[32];
    int version, subversion;

    xhpl_mpi_library(library);
    MPI_Get_version(&version, &subversion);
    snprintf(standard, sizeof(standard), "%d.%d", version, subversion);
    return XH_JSON_OBJECT(
        {"library", xh_json_text(library)},
        {"standard", xh_json_text(standard)},
        {"thread_level", xh_json_text(thread_level())},
        {"processes", json_integer(xhpl_size(MPI_COMM_WORLD))});
}

json_t *xhpl_record_blas(void)
{
    xh_blas_library_t library = xh_blas_library_identify();

    return XH_JSON_OBJECT({"name", xh_json_text(library.name)},
                          {"version", xh_json_text(library.version)},
                          {"kernel", xh_json_text(library.kernel)},
                          {"threads", xh_json_positive(library.threads)});
}

/* ---- the command line and the environment -------------------------------- */

/* The system's copy keeps the order of the words; getopt reorders argv. */
json_t *xhpl_record_command_line(void)
{
    json_t *array = json_array();
    FILE *in = fopen("/proc/self/cmdline", "r");
    char *word = NULL;
    size_t capacity = 0;

    if (in == NULL)
        return array;
    while (getdelim(&word, &capacity, '\0', in) > 0)
        json_array_append_new(array, text_or_empty(word));
    free(word);
    fclose(in);
    return array;
}

/* Prefixes of variables that may change the results of a run. */
static const char *const taken[] = {
    /* this program, threads, BLAS libraries */
    "XHPL_", "OMP_", "GOMP_", "KMP_", "OPENBLAS_", "GOTO_", "BLIS_", "MKL_",
    "ARMPL_",
    /* MPI libraries and the libraries below them */
    "OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_", "MPICH_", "MPIR_CVAR_", "HYDRA_",
    "I_MPI_", "UCX_", "HCOLL_", "FI_", "PSM2_", "HWLOC_",
    /* the size and the binding of a job */
    "SLURM_NNODES", "SLURM_NPROCS", "SLURM_NTASKS", "SLURM_CPUS_",
    "SLURM_TASKS_PER_NODE", "SLURM_JOB_NUM_NODES", "SLURM_JOB_CPUS_PER_NODE",
    "SLURM_THREADS_PER_CORE", "SLURM_CPU_", "SLURM_MEM_BIND",
    "SLURM_DISTRIBUTION", "SLURM_HINT", "SLURM_GPUS",
    /* devices, the dynamic linker and libc */
    "CUDA_", "CUBLAS_", "HIP_", "ROCR_", "ROCBLAS_", "OCL_ICD_", "POCL_",
    "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_BIND_NOW", "GLIBC_TUNABLES", "MALLOC_",
    NULL};

/* Exceptions: variables of launchers that differ in each job. */
static const char *const of_launchers[] = {"OMPI_MCA_orte_",
                                           "OMPI_MCA_ess_base_",
                                           "OMPI_MCA_initial_wdir",
                                           "PRTE_MCA_prte_",
                                           "PRTE_MCA_ess_base_",
                                           "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
                                           NULL};

/* Parts of names whose values may be secret. */
static const char *const secret[] = {"KEY",  "TOKEN",      "PASSW", "SECRET",
                                     "AUTH", "CREDENTIAL", NULL};

enum { NAME_SIZE = 128 }; /* longer names are not recorded */

static bool begins(const char *name, const char *const *start)
{
    while (*start != NULL && strncmp(name, *start, strlen(*start)) != 0)
        start++;
    return *start != NULL;
}

/* Case does not matter. */
static bool is_secret(const char *name)
{
    const char *const *part = secret;

    while (*part != NULL && strcasestr(name, *part) == NULL)
        part++;
    return *part != NULL;
}

json_t *xhpl_record_environment(void)
{
    json_t *object = json_object(), *sorted;
    char *text;

    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        size_t length = strcspn(*entry, "=");
        char name[NAME_SIZE];

        if ((*entry)[length] == '\0' || length >= sizeof(name))
            continue;
        snprintf(name, sizeof(name), "%.*s", (int)length, *entry);
        if (begins(name, taken) && !begins(name, of_launchers) &&
            !is_secret(name))
            json_object_set_new(object, name,
                                text_or_empty(*entry + length + 1));
    }
    text = json_dumps(object, JSON_SORT_KEYS);
    sorted = text != NULL ? json_loads(text, 0, NULL) : NULL;
    free(text);
    json_decref(object);
    return sorted;
}

/* ---- the job ------------------------------------------------------------- */

/* The value of the first variable that is set. */
static json_t *first_of(const char *const *names)
{
    const char *value = NULL;

    for (; *names != NULL && (value == NULL || value[0] == '\0'); names++)
        value = getenv(*names);
    return xh_json_text(value);
}

json_t *xhpl_record_job(void)
{
    static const char *const ids[] = {"SLURM_JOB_ID", "PBS_JOBID",
                                      "LSB_JOBID",    "FLUX_JOB_ID",
                                      "COBALT_JOBID", NULL};
    static const char *const nodes[] = {"SLURM_JOB_NODELIST", "LSB_HOSTS",
                                        "COBALT_PARTNAME", NULL};
    json_t *id = first_of(ids);

    if (!json_is_null(id))
        return XH_JSON_OBJECT({"id", id}, {"nodes", first_of(nodes)});
    json_decref(id);
    return NULL;
}

/* ---- settings ------------------------------------------------------------ */

/* text as a value of the type of row. */
static json_t *typed(const xh_setting_t *row, const char *text)
{
    if (row->type == XH_SETTING_INT)
        return json_integer(strtoll(text, NULL, 10));
    if (row->type == XH_SETTING_REAL)
        return xh_json_number(strtod(text, NULL));
    return text_or_empty(text);
}

json_t *xhpl_record_settings(void)
{
    json_t *object = json_object();

    for (int i = 0; i < xh_settings_count(); i++) {
        const xh_setting_t *row = xh_settings_row(i);
        const char *name = row->name;

        json_object_set_new(
            object, name,
            XH_JSON_OBJECT({"value", typed(row, xh_settings_text(name))},
                           {"default", typed(row, row->initial)},
                           {"changed", json_boolean(xh_settings_changed(name))},
                           {"source", xh_json_text(xh_settings_source(name))}));
    }
    return object;
}

/* ---- HPL.dat ------------------------------------------------------------- */

static json_t *value_of(const xhpl_quantity_row_t *row, int value)
{
    return row->words == NULL ? json_integer(value)
                              : json_string(row->words[value - row->least]);
}

json_t *xhpl_record_hpl_dat(const xhpl_parameters_t *parameters)
{
    json_t *object = json_object();

    for (int q = 0; q < XHPL_QUANTITIES; q++) {
        const xhpl_quantity_row_t *row = xhpl_quantity(q);
        const xhpl_list_t *list = &parameters->list[q];
        json_t *array = json_array();
        char key[32]; /* "swap_threshold" for the option "swap-threshold" */

        for (int i = 0; i < list->count; i++)
            json_array_append_new(array, value_of(row, list->value[i]));
        snprintf(key, sizeof(key), "%s",
                 row->option == NULL ? "device" : row->option);
        for (char *at = key; *at != '\0'; at++)
            *at = *at == '-' ? '_' : *at;
        json_object_set(object, key,
                        row->count_line == 0 ? json_array_get(array, 0)
                                             : array);
        json_decref(array);
    }
    return XH_JSON_SET(object,
                       {"threshold", xh_json_number(parameters->threshold)},
                       {"output", xh_json_text(parameters->output)});
}
