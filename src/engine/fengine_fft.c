/* The Fourier transform of the F-engine: clFFT (or VkFFT) on OpenCL devices, cuFFT on CUDA devices.
 */
#include "engine/fengine_fft.h"
#include "engine/fengine.h"

#include <stdlib.h>
#include <string.h>

/* What CLRADIO_FFT asks for; "" for nothing. */
static const char *wanted_library(void)
{
    const char *wanted = getenv("CLRADIO_FFT");
    return wanted ? wanted : "";
}

/* A name that is none, or of a library that this build has not, would be passed over in silence. */
static clradio_status check_wanted(void)
{
    const char *wanted = wanted_library();
    if (!*wanted || (HAVE_CLFFT && !strcmp(wanted, "clfft")) ||
        (HAVE_VKFFT && !strcmp(wanted, "vkfft")))
        return CLRADIO_OK;
    return clr_fail(CLRADIO_ERROR_ARGUMENT,
                    "CLRADIO_FFT is '%s'; of clfft and vkfft this clradio was built with %s",
                    wanted,
                    HAVE_CLFFT && HAVE_VKFFT ? "both"
                    : HAVE_CLFFT             ? "clfft"
                    : HAVE_VKFFT             ? "vkfft"
                                             : "neither");
}

/* VkFFT where clFFT was left out, or where it is asked for. */
static const clr_fft_library *opencl_library(void)
{
#if HAVE_VKFFT
    if (!HAVE_CLFFT || !strcmp(wanted_library(), "vkfft"))
        return &clr_fft_vkfft;
#endif
    return &clr_fft_clfft;
}

static const clr_fft_library *library_of(const clradio_device *device)
{
    return strcmp(clr_device_info(device)->back_end, clr_fft_cufft.back_end) ? opencl_library()
                                                                             : &clr_fft_cufft;
}

const char *clr_fft_library_name(const clradio_device *device)
{
    return library_of(device)->name();
}

clradio_status clr_fft_check_length(const clradio_device *device, uint32_t length)
{
    const clr_fft_library *library = library_of(device);
    clradio_status status = library == &clr_fft_cufft ? CLRADIO_OK : check_wanted();
    return status ? status : library->check_length(length);
}

clradio_status clr_fft_create(clradio_device *device, clradio_queue *queue, uint32_t length,
                              uint64_t batch, clr_fft **fft)
{
    *fft = NULL;
    return library_of(device)->create(device, queue, length, batch, fft);
}

uint64_t clr_fft_temporary_bytes(const clr_fft *fft)
{
    return fft->library->temporary_bytes(fft);
}

clradio_status clr_fft_enqueue(clr_fft *fft, clr_chain *chain, clradio_buffer *data,
                               clradio_buffer *temporary)
{
    return fft->library->enqueue(fft, chain, data, temporary);
}

void clr_fft_destroy(clr_fft *fft)
{
    if (fft)
        fft->library->destroy(fft);
}
