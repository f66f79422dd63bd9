/* The header of a VDIF frame (VDIF specification 1.1.1): 8 little-endian words, 4 when legacy. */
#ifndef CLR_IO_VDIF_HEADER_H
#define CLR_IO_VDIF_HEADER_H

#include <stddef.h>
#include <stdint.h>

enum { CLR_VDIF_HEADER = 32, CLR_VDIF_LEGACY_HEADER = 16, CLR_VDIF_SYNC = (int)0xACABFEEDu };

typedef struct clr_vdif_header {
    int invalid, legacy, complex_samples;
    uint32_t seconds; /* from the reference epoch */
    uint32_t epoch;   /* half-years since 2000 */
    uint32_t number;  /* of the frame within the second */
    uint32_t version;
    uint32_t log2_channels;
    uint32_t frame_bytes; /* header included */
    uint32_t bits;
    uint32_t thread;
    uint32_t station;
    uint32_t edv;         /* 0 when legacy */
    uint32_t extended[4]; /* words 4 .. 7 */
} clr_vdif_header;

static inline size_t clr_vdif_header_bytes(const clr_vdif_header *header)
{
    return header->legacy ? CLR_VDIF_LEGACY_HEADER : CLR_VDIF_HEADER;
}

/* From the available (at least 16) bytes; the extended words are 0 when there are fewer than 32. */
void clr_vdif_header_decode(const unsigned char *bytes, size_t available, clr_vdif_header *header);
void clr_vdif_header_encode(const clr_vdif_header *header, unsigned char *bytes);
/* Whether the fields can belong to a frame that clradio reads: sizes that are possible. */
int clr_vdif_header_plausible(const clr_vdif_header *header);
/* Time samples in a frame. */
uint64_t clr_vdif_header_samples(const clr_vdif_header *header);
/* SI seconds since 2000 at the start of the epoch. */
int64_t clr_vdif_epoch_start(uint32_t epoch);
/* The sample rate of a channel (real: twice the header's complex rate); 0 when EDV or sync word do
 * not give one. */
double clr_vdif_header_rate(const clr_vdif_header *header);
/* Two letters, or the number. text: 16 bytes. */
char *clr_vdif_station_text(uint32_t station, char *text);
/* The way back: 1, or 0 for a text that is neither. */
int clr_vdif_station_parse(const char *text, uint32_t *station);

#endif
