/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linked into programs built with the address sanitizer: modules that MPI
 * opens stay loaded, so that a report of what they leak can name them, and
 * lsan.supp can tell them from ours.
 */
int dlclose(void *handle);

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
