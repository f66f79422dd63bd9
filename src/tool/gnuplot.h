/* Drawing by gnuplot: a script with its data inside is given to a gnuplot process, and the picture
 * appears under its name only when it is whole. */
#ifndef CLR_TOOL_GNUPLOT_H
#define CLR_TOOL_GNUPLOT_H

#include "base/text.h"

/*
 * Starts a script with the terminal for the picture's suffix (.png or .svg) in pixels. Errors:
 * ARGUMENT (another suffix).
 */
clradio_status clr_gnuplot_begin(clr_text *script, const char *picture, unsigned width,
                                 unsigned height);
/* Text between single quotes, as gnuplot takes it. */
void clr_gnuplot_quote(clr_text *script, const char *text);
/* Runs the script. Errors: UNSUPPORTED (gnuplot is not installed), IO (what gnuplot said). */
clradio_status clr_gnuplot_draw(const clr_text *script, const char *picture);

#endif
