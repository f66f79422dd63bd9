/* What the files of the channel models share. */
#ifndef CLR_MODEL_CHANNEL_INTERNAL_H
#define CLR_MODEL_CHANNEL_INTERNAL_H

#include "model/channel.h"

struct clr_channel {
    clr_channel_config config;
    double *delay, *power;                 /* [tap] */
    double (*angle)[CLR_RAYS][CLR_ANGLES]; /* CDL: [tap][ray], rad, scaled, not yet coupled */
    double (*field)[4]; /* CDL: [transmit antenna], scratch for one ray: theta and phi, re and im */
};

/* Scales an angle of all rays to the wanted mean and spread. */
void clr_channel_scale_angles(clr_channel *channel);

/* The field of an antenna in a direction (rad): theta and phi components, and the phase 2 pi r.d of
 * its place. */
typedef struct clr_antenna_field {
    double theta, phi, phase;
} clr_antenna_field;
clr_antenna_field clr_antenna_array_field(const clr_antenna_array *array, uint32_t antenna,
                                          double azimuth, double zenith);

void clr_channel_tdl_gains(const clr_channel *channel, uint64_t link, uint64_t first,
                           uint64_t count, double *gains);
void clr_channel_cdl_gains(clr_channel *channel, uint64_t link, uint64_t first, uint64_t count,
                           double *gains);

#endif
