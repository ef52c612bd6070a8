/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/tile_map.h"

#include <math.h>
#include <stdarg.h>

/* pixels */
#define SIDE 720.0    /* C's longer side */
#define LEAST 24.0    /* C's shorter side, at least */
#define MARGIN 48.0   /* around C */
#define LEGEND 240.0  /* beside C */
#define LINE 22.0     /* of the legend */
#define READABLE 16.0 /* tiles this large get their executor's number */
#define NOBODY "#ffffff"

/* The host's colour, then those of devices; they repeat after eight. */
static const char *const colours[] = {"#b8b8b8", "#4e79a7", "#f28e2b",
                                      "#59a14f", "#e15759", "#76b7b2",
                                      "#edc948", "#b07aa1", "#9c755f"};

enum { COLOURS = sizeof(colours) / sizeof(colours[0]) };

/* ---- SVG ----------------------------------------------------------------- */

/* Elements of an SVG picture, one a line. Lengths are pixels. */
typedef struct {
    double x, y, width, height;
} box_t;

typedef enum { BEGIN, MIDDLE, END } anchor_t;

static const char *const anchors[] = {
    [BEGIN] = "start", [MIDDLE] = "middle", [END] = "end"};

static void begin(FILE *out, double width, double height)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
            "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            width, height, width, height);
}

static void end(FILE *out)
{
    fputs("</svg>\n", out);
}

static void draw_box(FILE *out, box_t box, const char *colour)
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

/* Text at a point of its baseline; at most 255 bytes, any characters. */
static void draw_text(FILE *out, double x, double y, anchor_t anchor,
                      const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static void draw_text(FILE *out, double x, double y, anchor_t anchor,
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

/* ---- the map ------------------------------------------------------------- */

typedef struct { /* from elements of C to pixels */
    double x_scale, y_scale;
    double width, height; /* of C */
} scale_t;

static const char *colour_of(int executor)
{
    if (executor < 0)
        return NOBODY;
    return executor == 0 ? colours[0]
                         : colours[1 + (executor - 1) % (COLOURS - 1)];
}

static scale_t scale_of(xh_view_t c)
{
    double longest = fmax((double)c.rows, (double)c.cols);
    scale_t s;

    s.width = fmax(LEAST, SIDE * (double)c.cols / longest);
    s.height = fmax(LEAST, SIDE * (double)c.rows / longest);
    s.x_scale = s.width / (double)c.cols;
    s.y_scale = s.height / (double)c.rows;
    return s;
}

static void draw_part(FILE *out, const scale_t *s, xh_rectangle_t part,
                      int executor)
{
    box_t box = {MARGIN + (double)part.col * s->x_scale,
                 MARGIN + (double)part.row * s->y_scale,
                 (double)part.cols * s->x_scale,
                 (double)part.rows * s->y_scale};

    draw_box(out, box, colour_of(executor));
    if (executor >= 0 && box.width >= READABLE && box.height >= READABLE)
        draw_text(out, box.x + box.width / 2, box.y + box.height / 2 + 4,
                  MIDDLE, "%d", executor);
}

static void draw_tiles(FILE *out, const scale_t *s, const hyb_report_t *report,
                       xh_view_t c)
{
    int64_t tiles;

    if (report->owner == NULL) {
        draw_part(out, s, (xh_rectangle_t){0, c.rows, 0, c.cols}, 0);
        return;
    }
    tiles = hyb_tiling_count(&report->tiling);
    for (int64_t i = 0; i < tiles; i++)
        draw_part(out, s, hyb_tiling_tile(&report->tiling, i).part,
                  report->owner[i]);
}

static void draw_titles(FILE *out, const scale_t *s, const hyb_report_t *report,
                        xh_view_t c)
{
    const hyb_tiling_t *t = &report->tiling;

    draw_text(out, MARGIN, MARGIN - 26, BEGIN,
              "C is %lld x %lld: who computed which tile", (long long)c.rows,
              (long long)c.cols);
    if (report->owner == NULL)
        return;
    draw_text(out, MARGIN, MARGIN - 8, BEGIN,
              "%lld x %lld tiles of %lld x %lld", (long long)t->rows,
              (long long)t->cols, (long long)t->tile_rows,
              (long long)t->tile_cols);
    draw_text(out, MARGIN, MARGIN + s->height + 18, BEGIN, "0");
    draw_text(out, MARGIN + s->width, MARGIN + s->height + 18, END,
              "column %lld", (long long)c.cols);
}

static double percent_of(const hyb_report_t *report, int executor)
{
    double all = xdg_executors_flop(report);

    return all > 0.0 ? 100.0 * xdg_executors_work(report, executor)->flop / all
                     : 0.0;
}

static void draw_legend(FILE *out, const scale_t *s, const hyb_report_t *report,
                        const xdg_executors_t *executors)
{
    double x = MARGIN + s->width + 24;

    for (int e = 0; e < executors->count; e++) {
        double y = MARGIN + LINE * e;
        const hyb_work_t *work = xdg_executors_work(report, e);

        draw_box(out, (box_t){x, y, 16, 16}, colour_of(e));
        draw_text(out, x + 24, y + 13, BEGIN, "%d  %s: %lld tiles, %.1f%%%s", e,
                  executors->name[e], (long long)work->tiles,
                  percent_of(report, e), work->dropped ? ", dropped" : "");
    }
}

void xdg_tile_map_write(const hyb_report_t *report,
                        const xdg_executors_t *executors, xh_view_t c,
                        FILE *out)
{
    scale_t s = scale_of(c);
    double lines = LINE * executors->count;

    begin(out, s.width + LEGEND + 2 * MARGIN,
          fmax(s.height, lines) + 2 * MARGIN);
    draw_titles(out, &s, report, c);
    draw_tiles(out, &s, report, c);
    draw_legend(out, &s, report, executors);
    end(out);
}
