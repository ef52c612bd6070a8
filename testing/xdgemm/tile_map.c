/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "testing/xdgemm/gemm.h"

/* pixels */
#define SIDE 720.0    /* longer side of C */
#define LEAST 24.0    /* shorter side of C, at least */
#define MARGIN 48.0   /* around C */
#define LEGEND 240.0  /* beside C */
#define LINE 22.0     /* of the legend */
#define READABLE 16.0 /* tiles this large get their executor's number */

/* The start of a text element at a point of its baseline. */
#define TEXT "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\">"

/* The colour of the host, then those of devices; the colours repeat after
 * eight. */
static const char *const colours[] = {"#b8b8b8", "#4e79a7", "#f28e2b",
                                      "#59a14f", "#e15759", "#76b7b2",
                                      "#edc948", "#b07aa1", "#9c755f"};

enum { COLOURS = sizeof(colours) / sizeof(colours[0]) };

typedef struct { /* the scale of the picture, from elements of C to pixels */
    FILE *out;
    double x_scale, y_scale;
    double width, height; /* of C */
} map_t;

static const char *colour_of(int executor)
{
    if (executor <= 0)
        return executor < 0 ? "#ffffff" : colours[0];
    return colours[1 + (executor - 1) % (COLOURS - 1)];
}

static void draw_box(const map_t *m, double x, double y, double width,
                     double height, int executor)
{
    fprintf(m->out,
            "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
            "fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"0.5\"/>\n",
            x, y, width, height, colour_of(executor));
}

static void draw_part(const map_t *m, xh_rectangle_t part, int executor)
{
    double x = MARGIN + (double)part.col * m->x_scale;
    double y = MARGIN + (double)part.row * m->y_scale;
    double width = (double)part.cols * m->x_scale;
    double height = (double)part.rows * m->y_scale;

    draw_box(m, x, y, width, height, executor);
    if (executor >= 0 && width >= READABLE && height >= READABLE)
        fprintf(m->out, TEXT "%d</text>\n", x + width / 2, y + height / 2 + 4,
                "middle", executor);
}

static void draw_tiles(const map_t *m, const hyb_report_t *report, xh_view_t c)
{
    int64_t tiles;

    if (report->owner == NULL) {
        draw_part(m, (xh_rectangle_t){0, c.rows, 0, c.cols}, 0);
        return;
    }
    tiles = hyb_tiling_count(&report->tiling);
    for (int64_t i = 0; i < tiles; i++)
        draw_part(m, hyb_tiling_tile(&report->tiling, i).part,
                  report->owner[i]);
}

static void draw_titles(const map_t *m, const hyb_report_t *report, xh_view_t c)
{
    const hyb_tiling_t *t = &report->tiling;
    double below = MARGIN + m->height + 18;

    fprintf(m->out, TEXT "C is %lld x %lld: who computed which tile</text>\n",
            MARGIN, MARGIN - 26, "start", (long long)c.rows, (long long)c.cols);
    if (report->owner == NULL)
        return;
    fprintf(m->out, TEXT "%lld x %lld tiles of %lld x %lld</text>\n", MARGIN,
            MARGIN - 8, "start", (long long)t->rows, (long long)t->cols,
            (long long)t->tile_rows, (long long)t->tile_cols);
    fprintf(m->out, TEXT "0</text>\n", MARGIN, below, "start");
    fprintf(m->out, TEXT "column %lld</text>\n", MARGIN + m->width, below,
            "end", (long long)c.cols);
}

static void draw_legend(const map_t *m, const hyb_report_t *report,
                        const xdg_executors_t *executors)
{
    double x = MARGIN + m->width + 24, all = xdg_work_flop(report);

    for (int e = 0; e < executors->count; e++) {
        double y = MARGIN + LINE * e;
        const hyb_work_t *work = xdg_work(report, e);

        draw_box(m, x, y, 16, 16, e);
        fprintf(m->out, TEXT "%d  %s: %lld tiles, %.1f%%</text>\n", x + 24,
                y + 13, "start", e, executors->name[e], (long long)work->tiles,
                all > 0.0 ? 100.0 * work->flop / all : 0.0);
    }
}

void xdg_tile_map_write(const hyb_report_t *report,
                        const xdg_executors_t *executors, xh_view_t c,
                        FILE *out)
{
    double rows = (double)c.rows, cols = (double)c.cols;
    double scale = SIDE / fmax(rows, cols);
    map_t m = {.out = out,
               .width = fmax(LEAST, cols * scale),
               .height = fmax(LEAST, rows * scale)};
    double width = m.width + LEGEND + 2 * MARGIN;
    double height = fmax(m.height, LINE * executors->count) + 2 * MARGIN;

    m.x_scale = m.width / cols;
    m.y_scale = m.height / rows;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
            "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n" XDG_MAP_MARK "\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            width, height, width, height);
    draw_titles(&m, report, c);
    draw_tiles(&m, report, c);
    draw_legend(&m, report, executors);
    fputs("</svg>\n", out);
}
