/* VDIF frame headers: words to fields and back. */
#include "io/vdif_header.h"

#include "base/text.h"
#include "io/source.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static uint32_t word(const unsigned char *bytes, size_t i)
{
    const unsigned char *at = bytes + 4 * i;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

void clr_vdif_header_decode(const unsigned char *bytes, size_t available, clr_vdif_header *header)
{
    uint32_t w0 = word(bytes, 0), w1 = word(bytes, 1), w2 = word(bytes, 2), w3 = word(bytes, 3);
    *header = (clr_vdif_header){ .invalid = (int)(w0 >> 31),
                                 .legacy = (int)(w0 >> 30 & 1),
                                 .seconds = w0 & 0x3fffffff,
                                 .epoch = w1 >> 24 & 63,
                                 .number = w1 & 0xffffff,
                                 .version = w2 >> 29,
                                 .log2_channels = w2 >> 24 & 31,
                                 .frame_bytes = (w2 & 0xffffff) * 8,
                                 .complex_samples = (int)(w3 >> 31),
                                 .bits = (w3 >> 26 & 31) + 1,
                                 .thread = w3 >> 16 & 1023,
                                 .station = w3 & 0xffff };
    if (header->legacy || available < CLR_VDIF_HEADER)
        return;
    for (size_t i = 0; i < 4; i++)
        header->extended[i] = word(bytes, 4 + i);
    header->edv = header->extended[0] >> 24;
}

void clr_vdif_header_encode(const clr_vdif_header *header, unsigned char *bytes)
{
    uint32_t words[8] = {
        (uint32_t)header->invalid << 31 | (uint32_t)header->legacy << 30 | header->seconds,
        header->epoch << 24 | header->number,
        header->version << 29 | header->log2_channels << 24 | header->frame_bytes / 8,
        (uint32_t)header->complex_samples << 31 | (header->bits - 1) << 26 | header->thread << 16 |
            header->station,
        (header->extended[0] & 0xffffff) | header->edv << 24,
        header->extended[1],
        header->extended[2],
        header->extended[3]
    };
    for (size_t i = 0; i < clr_vdif_header_bytes(header); i++)
        bytes[i] = (unsigned char)(words[i / 4] >> (8 * (i % 4)));
}

uint64_t clr_vdif_header_samples(const clr_vdif_header *header)
{
    uint64_t payload_bits = 8 * ((uint64_t)header->frame_bytes - clr_vdif_header_bytes(header));
    return payload_bits / ((uint64_t)header->bits * (header->complex_samples ? 2 : 1)) >>
           header->log2_channels;
}

int clr_vdif_header_plausible(const clr_vdif_header *header)
{
    return header->frame_bytes > clr_vdif_header_bytes(header) &&
           !(header->bits & (header->bits - 1)) && clr_vdif_header_samples(header) > 0;
}

int64_t clr_vdif_epoch_start(uint32_t epoch)
{
    clr_time start = { clr_time_mjd(2000 + epoch / 2, epoch % 2 ? 7 : 1, 1), 0, 0 };
    return clr_time_elapsed(start);
}

double clr_vdif_header_rate(const clr_vdif_header *header)
{
    if ((header->edv != 1 && header->edv != 3) || header->extended[1] != (uint32_t)CLR_VDIF_SYNC)
        return 0;
    double unit = header->extended[0] >> 23 & 1 ? 1e6 : 1e3;
    return (header->extended[0] & 0x7fffff) * unit * (header->complex_samples ? 1 : 2);
}

char *clr_vdif_station_text(uint32_t station, char *text)
{
    int first = (int)(station >> 8), second = (int)(station & 255);
    if (first >= '0' && isalnum(first) && (isalnum(second) || second == ' ' || second == '_'))
        snprintf(text, 16, second == ' ' ? "%c" : "%c%c", first, second);
    else
        snprintf(text, 16, "%u", (unsigned)station);
    return text;
}

int clr_vdif_station_parse(const char *text, uint32_t *station)
{
    uint64_t number;
    if (strlen(text) == 2 && isalpha((unsigned char)text[0]) && isalnum((unsigned char)text[1])) {
        *station = (uint32_t)(unsigned char)text[0] << 8 | (unsigned char)text[1];
        return 1;
    }
    if (!clr_parse_u64(text, &number) || number > 65535)
        return 0;
    *station = (uint32_t)number;
    return 1;
}
