/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/svg.h"

#include <stdarg.h>

static const char *const anchors[] = {[XDG_SVG_BEGIN] = "start",
                                      [XDG_SVG_MIDDLE] = "middle",
                                      [XDG_SVG_END] = "end"};

void xdg_svg_begin(FILE *out, double width, double height)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
            "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            width, height, width, height);
}

void xdg_svg_end(FILE *out)
{
    fputs("</svg>\n", out);
}

void xdg_svg_box(FILE *out, xdg_svg_box_t box, const char *colour)
{
    fprintf(out,
            "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
            "fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"0.5\"/>\n",
            box.x, box.y, box.width, box.height, colour);
}

static void put_escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            fputc(*text, out);
        }
}

void xdg_svg_text(FILE *out, double x, double y, xdg_svg_anchor_t anchor,
                  const char *format, ...)
{
    char text[256];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\">", x, y,
            anchors[anchor]);
    put_escaped(out, text);
    fputs("</text>\n", out);
}
