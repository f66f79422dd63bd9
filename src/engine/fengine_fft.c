/* The Fourier transform of the F-engine: clFFT (or VkFFT) on OpenCL devices, cuFFT on CUDA devices.
 */
#include "engine/fengine_fft.h"
#include "engine/fengine.h"

#include <stdlib.h>
#include <string.h>

/* VkFFT where clFFT was left out, or where it is asked for. */
static const clr_fft_library *opencl_library(void)
{
#if HAVE_VKFFT
    const char *wanted = getenv("CLRADIO_FFT");
    if (!HAVE_CLFFT || (wanted && !strcmp(wanted, "vkfft")))
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
    return library_of(device)->check_length(length);
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
