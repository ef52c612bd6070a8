/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/opencl/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

hyb_opencl_library_t hyb_cl;

/* Open the library at run time, so that this plug-in also loads without it. */
const char *hyb_opencl_load(void)
{
    static char reason[256];
#define NAME_OF(name) "cl" #name,
    static const char *const names[] = {HYB_OPENCL_FUNCTIONS(NAME_OF)};
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    void *address;

    if (library == NULL) {
        snprintf(reason, sizeof(reason), "%s", dlerror());
        return reason;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        address = dlsym(library, names[i]);
        if (address == NULL) {
            snprintf(reason, sizeof(reason), "libOpenCL.so.1 has no %s",
                     names[i]);
            dlclose(library);
            return reason;
        }
        memcpy((char *)&hyb_cl + i * sizeof(address), &address,
               sizeof(address));
    }
    return NULL;
}
