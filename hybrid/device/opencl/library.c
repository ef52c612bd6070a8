/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "hybrid/device/opencl/opencl.h"

hyb_opencl_library_t hyb_cl;

static char reason[256];

/* Looked for at run time, so that this plug-in loads where there is none. */
static void load(void)
{
#define NAME_OF(name) "cl" #name,
    static const char *const names[] = {HYB_OPENCL_FUNCTIONS(NAME_OF)};
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    void *address;

    if (library == NULL) {
        snprintf(reason, sizeof(reason), "%s", dlerror());
        return;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        address = dlsym(library, names[i]);
        if (address == NULL) {
            snprintf(reason, sizeof(reason), "libOpenCL.so.1 has no %s",
                     names[i]);
            dlclose(library);
            return;
        }
        memcpy((char *)&hyb_cl + i * sizeof(address), &address,
               sizeof(address));
    }
}

const char *hyb_opencl_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return reason[0] != '\0' ? reason : NULL;
}
