/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/cuda/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool hyb_cuda_library_open(const char *file, const hyb_cuda_symbol_t *symbols,
                           size_t count, void *table_p, char *why_p)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *address;
    size_t i;

    if (library == NULL) {
        snprintf(why_p, HYB_CUDA_WHY, "%s", dlerror());
        return false;
    }
    for (i = 0; i < count; i++) {
        address = dlsym(library, symbols[i].name);
        if (address == NULL) {
            snprintf(why_p, HYB_CUDA_WHY, "%s has no %s", file,
                     symbols[i].name);
            dlclose(library);
            return false;
        }
        memcpy((char *)table_p + symbols[i].offset, &address, sizeof(address));
    }
    return true;
}
