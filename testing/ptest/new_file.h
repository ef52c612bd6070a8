/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_NEW_FILE_H
#define XHPL_NEW_FILE_H

#include <stddef.h>
#include "base/status.h"

/*
 * A file that does not exist yet, and that is either all there or not at all,
 * whenever the process ends. An error is said, as one of the option --write.
 */

/*
 * Could it be written now? Leaves nothing behind.
 *
 * Errors: XH_ERR_INPUT  name exists, or its folder takes no files
 */
xh_status_t xhpl_new_file_check(const char *name);

/*
 * Write size bytes of text.
 *
 * Errors: XH_ERR_INPUT  as above, or the disk is full; what exists is left as
 * it is
 */
xh_status_t xhpl_new_file_write(const char *name, const char *text,
                                size_t size);

#endif
