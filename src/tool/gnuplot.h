/* Drawing by gnuplot: a script with its data inside is given to a gnuplot process, and the picture
 * appears under its name only when it is whole. Or the script itself is written (.gp), for a
 * machine that has no gnuplot: given to gnuplot elsewhere it draws a .png beside it. */
#ifndef CLR_TOOL_GNUPLOT_H
#define CLR_TOOL_GNUPLOT_H

#include "base/text.h"
#include "tool/exit_codes.h"

/* Before long work: CLR_EXIT_CARRY_ON when the picture can be drawn; else what is wrong was said:
 * the suffix, or that gnuplot is not installed and the picture is no script. */
clr_exit clr_gnuplot_checked(const char *picture);
/*
 * Starts a script with the terminal for the picture's suffix (.png, .svg, .gp) in pixels. Errors:
 * ARGUMENT (another suffix).
 */
clradio_status clr_gnuplot_begin(clr_text *script, const char *picture, unsigned width,
                                 unsigned height);
/* Text between single quotes, as gnuplot takes it. */
void clr_gnuplot_quote(clr_text *script, const char *text);
/* Runs the script. Errors: UNSUPPORTED (gnuplot is not installed), IO (what gnuplot said). */
clradio_status clr_gnuplot_draw(const clr_text *script, const char *picture);

#endif
