/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/output.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "base/log.h"

xh_status_t xdg_output_open(const char *path, FILE **file_p)
{
    FILE *file;

    if (path == NULL)
        return XH_OK;
    file = fopen(path, "w");
    if (file == NULL) {
        xh_log_error("cannot write to %s: %s", path, strerror(errno));
        return XH_ERR_INPUT;
    }
    *file_p = file;
    return XH_OK;
}

xh_status_t xdg_output_close(const char *path, FILE *file)
{
    bool failed;

    if (file == NULL)
        return XH_OK;
    failed = ferror(file) != 0;
    if (fclose(file) == 0 && !failed)
        return XH_OK;
    xh_log_error("cannot write all of %s", path);
    return XH_ERR_IO;
}
