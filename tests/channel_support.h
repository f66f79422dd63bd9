/* What the test programs of channel models share. */
#ifndef CLR_TESTS_CHANNEL_SUPPORT_H
#define CLR_TESTS_CHANNEL_SUPPORT_H

#include "support.h"

#include "model/channel_internal.h"

/* A profile between single antennas, 100 ns where it is scaled, angles as they are in its table. */
clr_channel_config channel_configuration(const char *profile);
/* Made, which must succeed. */
clr_channel *channel_of(const clr_channel_config *config);

#endif
