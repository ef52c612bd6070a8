/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "hybrid/device/cuda/cuda.h"

bool hyb_cuda_emulates_doubles(void)
{
    return strcmp(hyb_cuda_host->setting("fp64"), "emulated") == 0;
}

static bool open_file(const char *file, const hyb_cuda_symbol_t *symbols,
                      char *why_p)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *address;

    if (library == NULL) {
        snprintf(why_p, HYB_CUDA_WHY, "%s", dlerror());
        return false;
    }
    for (; symbols->name != NULL; symbols++) {
        address = dlsym(library, symbols->name);
        if (address == NULL) {
            snprintf(why_p, HYB_CUDA_WHY, "%s has no %s", file, symbols->name);
            dlclose(library);
            return false;
        }
        memcpy(symbols->pointer_p, &address, sizeof(address));
    }
    return true;
}

bool hyb_cuda_open_library(const char *const *files,
                           const hyb_cuda_symbol_t *symbols, char *why_p)
{
    char other[HYB_CUDA_WHY];
    bool is_open = open_file(*files, symbols, why_p);

    while (!is_open && *++files != NULL)
        is_open = open_file(*files, symbols, other);
    return is_open;
}
