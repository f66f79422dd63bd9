/* What the test programs of channel models share. */
#include "channel_support.h"

#include <math.h>

clr_channel_config channel_configuration(const char *profile)
{
    clr_channel_config config = { .profile = clr_profile_find(profile),
                                  .transmit = CLR_ANTENNA_ARRAY_INIT,
                                  .receive = CLR_ANTENNA_ARRAY_INIT,
                                  .time_step_s = 1e-3,
                                  .seed = 7 };
    assert_non_null(config.profile);
    config.delay_spread_s = config.profile->scaled ? 100e-9 : 0;
    for (int a = 0; a < CLR_ANGLES; a++)
        config.angle_spread_deg[a] = config.angle_mean_deg[a] = NAN;
    return config;
}

clr_channel *channel_of(const clr_channel_config *config)
{
    clr_channel *channel;
    assert_ok(clr_channel_create(config, &channel));
    return channel;
}
