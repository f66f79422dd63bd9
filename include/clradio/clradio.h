/* clradio: the arithmetic of antenna arrays on any OpenCL device. This header includes the others.
 */
#ifndef CLRADIO_H
#define CLRADIO_H

#include <clradio/correlator.h>
#include <clradio/detector.h>
#include <clradio/device.h>
#include <clradio/dft.h>
#include <clradio/fengine.h>
#include <clradio/montecarlo.h>
#include <clradio/pipeline.h>
#include <clradio/sinr.h>
#include <clradio/status.h>
#include <clradio/types.h>
#include <clradio/version.h>
#include <clradio/xengine.h>

#endif
