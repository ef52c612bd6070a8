/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_SVG_H
#define XDG_SVG_H

#include <stdio.h>

/* Elements of an SVG picture, one a line. Lengths are pixels. */
typedef struct {
    double x, y, width, height;
} xdg_svg_box_t;

typedef enum { XDG_SVG_BEGIN, XDG_SVG_MIDDLE, XDG_SVG_END } xdg_svg_anchor_t;

void xdg_svg_begin(FILE *out, double width, double height);
void xdg_svg_end(FILE *out);

/* A filled rectangle with a thin border; colour as "#4e79a7". */
void xdg_svg_box(FILE *out, xdg_svg_box_t box, const char *colour);

/* Text at a point of its baseline; at most 255 bytes, any characters. */
void xdg_svg_text(FILE *out, double x, double y, xdg_svg_anchor_t anchor,
                  const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
