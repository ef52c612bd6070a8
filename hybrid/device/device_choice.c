/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/integers.h"
#include "base/text.h"
#include "hybrid/device/backend.h"

typedef struct {
    const char *text;             /* the user's complete text */
    const hyb_backend_t *backend; /* backend of the part that is read now */
    int present;                  /* number of the backend's devices */
    const char *reason;           /* why the backend has no devices */
    bool takes_index; /* can an index follow, as "1" in "cuda:0,1"? */
    hyb_device_choice_t *choices;
    int count;
    char *why; /* out: HYB_DEVICES_WHY bytes: why the text is refused */
} choice_t;

__attribute__((format(printf, 2, 3))) static xh_status_t
refuse(const choice_t *choice, const char *format, ...)
{
    char why[HYB_DEVICES_WHY / 2];
    va_list values;

    va_start(values, format);
    vsnprintf(why, sizeof(why), format, values);
    va_end(values);
    snprintf(choice->why, HYB_DEVICES_WHY, "devices \"%.200s\": %s",
             choice->text, why);
    return XH_ERR_INPUT;
}

static xh_status_t lack_memory(const choice_t *choice)
{
    refuse(choice, "no memory for a list of %d devices", choice->count + 1);
    return XH_ERR_MEMORY;
}

static xh_status_t add_device(choice_t *choice, int index)
{
    size_t bytes = ((size_t)choice->count + 1) * sizeof(*choice->choices);
    hyb_device_choice_t *more = realloc(choice->choices, bytes);

    if (more == NULL)
        return lack_memory(choice);
    more[choice->count++] = (hyb_device_choice_t){choice->backend, index};
    choice->choices = more;
    return XH_OK;
}

/* Add the first `count` devices of the backend. */
static xh_status_t add_devices(choice_t *choice, int count)
{
    for (int i = 0; i < count; i++)
        XH_TRY(add_device(choice, i));
    return XH_OK;
}

static void begin_backend(choice_t *choice, const hyb_backend_t *backend)
{
    choice->backend = backend;
    choice->reason = NULL;
    choice->present = backend->count(&choice->reason);
    if (choice->reason == NULL)
        choice->reason = "none was found";
}

/* ---- auto --------------------------------------------------------------- */

enum { FOUND = 1024 };

static void tell_found(const choice_t *choice, char found[FOUND])
{
    const char *separator = found[0] != '\0' ? ", " : "";

    if (choice->present > 0)
        xh_text_append(found, FOUND, "%s%d of %s", separator, choice->present,
                       choice->backend->name);
    else
        xh_text_append(found, FOUND, "%sno %s (%.160s)", separator,
                       choice->backend->name, choice->reason);
}

static xh_status_t choose_all(choice_t *choice)
{
    char names[HYB_BACKENDS][HYB_BACKEND_NAME], why[HYB_BACKEND_WHY];
    char found[FOUND] = "";
    int count = hyb_backend_names(names), present = 0;
    const hyb_backend_t *backend;

    for (int i = 0; i < count; i++) {
        if (hyb_backend_find(names[i], &backend, why) != XH_OK) {
            xh_log_info("no devices of %s: %s", names[i], why);
        } else if (!backend->emulated && !backend->by_name_only) {
            begin_backend(choice, backend);
            tell_found(choice, found);
            present += choice->present;
            XH_TRY(add_devices(choice, choice->present));
        }
    }
    if (xh_log_is_first())
        xh_log_info("devices=auto: %s%s", present == 0 ? "no GPU found: " : "",
                    found[0] != '\0' ? found : "no plug-in is there");
    return XH_OK;
}

/* ---- a list of parts ---------------------------------------------------- */

/* Return `word` as a whole number, or -1 if it is not one. */
static int number(const char *word)
{
    char *end;
    long n = strtol(word, &end, 10);

    return isdigit((unsigned char)*word) && *end == '\0' && n < 1000000 ? (int)n
                                                                        : -1;
}

/* The number from `least` to `most` that is nearest to `word`. */
static int nearest(const char *word, int least, int most)
{
    long n = strtol(word, NULL, 10);

    return (int)xh_smaller(most, xh_larger(least, n));
}

static bool is_chosen(const choice_t *choice, int index)
{
    for (int i = 0; i < choice->count; i++)
        if (choice->choices[i].backend == choice->backend &&
            choice->choices[i].index == index)
            return true;
    return false;
}

static xh_status_t add_index(choice_t *choice, const char *word)
{
    const char *name = choice->backend != NULL ? choice->backend->name : "";
    int index = number(word);

    if (!choice->takes_index)
        return refuse(
            choice,
            "\"%.40s\" needs the name of a backend before it, as in cuda:0,1",
            word);
    if (choice->present == 0)
        return refuse(choice, "%s has no device: %.160s", name, choice->reason);
    if (index < 0 || index >= choice->present)
        return refuse(
            choice,
            "%s has no device %.40s, only 0 to %d; the nearest is %s:%d", name,
            word, choice->present - 1, name,
            nearest(word, 0, choice->present - 1));
    if (is_chosen(choice, index))
        return refuse(choice, "device %d of %s is named twice", index, name);
    return add_device(choice, index);
}

static xh_status_t add_number(choice_t *choice, const char *word)
{
    const char *name = choice->backend->name;
    int count = number(word);

    if (count >= 1 && count <= choice->present)
        return add_devices(choice, count);
    return refuse(
        choice, "%s can give 1 to %d devices, not %.40s; the nearest is %s:%d",
        name, choice->present, word, name, nearest(word, 1, choice->present));
}

/* Add devices for a backend without a selection: "cuda" means all devices,
 * "emu" one. */
static xh_status_t add_unselected(choice_t *choice)
{
    choice->takes_index = false;
    if (choice->backend->emulated)
        return add_devices(choice, 1);
    if (choice->present == 0)
        return refuse(choice, "%s has no device: %.160s", choice->backend->name,
                      choice->reason);
    return add_devices(choice, choice->present);
}

/* Refuse `name` and suggest the nearest valid word. If `name` is the whole
 * text, auto and none are valid, too. */
static xh_status_t refuse_backend(const choice_t *choice, const char *name,
                                  const char *why)
{
    char names[HYB_BACKENDS][HYB_BACKEND_NAME];
    const char *words[HYB_BACKENDS + 2], *nearest;
    char list[HYB_BACKENDS * (HYB_BACKEND_NAME + 2)] = "none";
    int i, count = hyb_backend_names(names);
    size_t used = 0;

    for (i = 0; i < count; i++) {
        words[i] = names[i];
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
                                 i > 0 ? ", " : "", names[i]);
    }
    if (strcmp(choice->text, name) == 0 || count == 0) {
        words[count++] = "auto";
        words[count++] = "none";
    }
    nearest = words[xh_text_nearest(name, words, count)];
    if (!xh_text_is_near(name, nearest))
        return refuse(choice, "%s; available: %s", why, list);
    return refuse(choice, "%s; available: %s; the nearest is %s", why, list,
                  nearest);
}

static xh_status_t begin_part(choice_t *choice, const char *name)
{
    char why[HYB_BACKEND_WHY];
    const hyb_backend_t *backend;
    xh_status_t status = hyb_backend_find(name, &backend, why);

    if (status == XH_ERR_INPUT)
        return refuse_backend(choice, name, why);
    if (status != XH_OK)
        return refuse(choice, "%s", why);
    for (int i = 0; i < choice->count; i++)
        if (choice->choices[i].backend == backend)
            return refuse(choice, "a backend is named twice");
    begin_backend(choice, backend);
    choice->takes_index = !backend->emulated;
    return XH_OK;
}

/* Add the devices of one word: "cuda", "cuda:0", "emu:2", or "1" after
 * "cuda:0". */
static xh_status_t add_word(choice_t *choice, char *word)
{
    char *selection = strchr(word, ':');

    if (isdigit((unsigned char)*word))
        return add_index(choice, word);
    if (selection != NULL)
        *selection++ = '\0';
    XH_TRY(begin_part(choice, word));
    if (selection == NULL)
        return add_unselected(choice);
    return choice->backend->emulated ? add_number(choice, selection)
                                     : add_index(choice, selection);
}

static xh_status_t choose_listed(choice_t *choice)
{
    char *words = strdup(choice->text), *rest = words;
    xh_status_t status = words != NULL ? XH_OK : lack_memory(choice);

    while (rest != NULL && status == XH_OK)
        status = add_word(choice, strsep(&rest, ","));
    free(words);
    return status;
}

xh_status_t hyb_devices_find(const char *text, hyb_device_choice_t **chosen_p,
                             int *count_p, char *why_p)
{
    choice_t choice = {.text = text, .why = why_p};
    xh_status_t status = XH_OK;

    if (strcmp(text, "auto") == 0)
        status = choose_all(&choice);
    else if (strcmp(text, "none") != 0)
        status = choose_listed(&choice);
    if (status != XH_OK) {
        free(choice.choices);
        return status;
    }
    *chosen_p = choice.choices;
    *count_p = choice.count;
    return XH_OK;
}

xh_status_t hyb_devices_choose(const char *text, hyb_device_choice_t **chosen_p,
                               int *count_p)
{
    char why[HYB_DEVICES_WHY];
    xh_status_t status = hyb_devices_find(text, chosen_p, count_p, why);

    if (status != XH_OK)
        xh_log_error("%s", why);
    return status;
}
