/* Counting what is there. All counts are exact. */
#include "tool/presence.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

clradio_status clr_presence_create(uint32_t slots, uint64_t length, uint32_t taps, uint64_t most,
                                   clr_presence *presence)
{
    *presence =
        (clr_presence){ .slots = slots, .length = length, .taps = taps, .words = (most + 63) / 64 };
    uint64_t pairs = (uint64_t)slots * (slots + 1ull) / 2, mask_words;
    if (!clr_mul_u64(presence->words, slots, &mask_words) || mask_words > SIZE_MAX / 8 ||
        pairs > SIZE_MAX / 8)
        return clr_fail(CLRADIO_ERROR_MEMORY, "the presence of %u inputs does not fit the memory",
                        slots);
    presence->run = calloc(slots, sizeof *presence->run);
    presence->mask = calloc((size_t)mask_words, sizeof *presence->mask);
    presence->pairs = calloc((size_t)pairs, sizeof *presence->pairs);
    if (presence->run && presence->mask && presence->pairs)
        return CLRADIO_OK;
    clr_presence_free(presence);
    return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the presence of %u inputs", slots);
}

void clr_presence_free(clr_presence *presence)
{
    free(presence->run);
    free(presence->mask);
    free(presence->pairs);
    *presence = (clr_presence){ 0 };
}

static int get_bit(const uint64_t *bits, uint64_t at)
{
    return (int)(bits[at / 64] >> (at % 64) & 1);
}

/* Whether bits [first, first + count) are all set. */
static int all_set(const uint64_t *bits, uint64_t first, uint64_t count)
{
    while (count) {
        uint64_t take = clr_min_u64(count, 64 - first % 64);
        uint64_t want = (take == 64 ? ~0ull : (1ull << take) - 1) << (first % 64);
        if ((bits[first / 64] & want) != want)
            return 0;
        first += take;
        count -= take;
    }
    return 1;
}

/* The spectra's masks of one input; skip transforms at the front make no spectrum. Returns 1 when
 * all are valid. */
static int make_mask(clr_presence *presence, uint32_t slot, const uint64_t *bits,
                     uint64_t transforms, uint64_t skip)
{
    uint64_t *mask = presence->mask + slot * presence->words;
    uint64_t spectra = transforms - skip;
    if (presence->length == 1 && presence->taps == 1) {
        memcpy(mask, bits, (size_t)((spectra + 63) / 64) * sizeof *mask);
        if (spectra % 64)
            mask[spectra / 64] &= (1ull << spectra % 64) - 1;
        return all_set(mask, 0, spectra);
    }
    memset(mask, 0, (size_t)((spectra + 63) / 64) * sizeof *mask);
    int complete = 1;
    for (uint64_t t = 0; t < transforms; t++) {
        int whole = all_set(bits, t * presence->length, presence->length);
        presence->run[slot] = whole ? presence->run[slot] + 1 : 0;
        if (t < skip)
            continue;
        uint64_t valid = presence->run[slot] >= presence->taps;
        mask[(t - skip) / 64] |= valid << ((t - skip) % 64);
        complete &= (int)valid;
    }
    return complete;
}

static void count_pairs(clr_presence *presence, uint64_t spectra)
{
    uint64_t words = (spectra + 63) / 64;
    uint64_t *count = presence->pairs;
    for (uint32_t a = 0; a < presence->slots; a++) {
        const uint64_t *of_a = presence->mask + a * presence->words;
        for (uint32_t b = 0; b <= a; b++, count++) {
            const uint64_t *of_b = presence->mask + b * presence->words;
            for (uint64_t w = 0; w < words; w++)
                *count += (uint64_t)__builtin_popcountll(of_a[w] & of_b[w]);
        }
    }
}

uint64_t clr_presence_add(clr_presence *presence, const uint64_t *present, uint64_t transforms,
                          uint8_t *valid, int *missing)
{
    uint64_t fill =
        presence->taps - 1 - presence->seen; /* transforms that the filter still lacks */
    uint64_t skip = clr_min_u64(fill, transforms);
    uint64_t spectra = transforms - skip;
    presence->seen += skip;
    uint64_t words = (transforms * presence->length + 63) / 64;
    int complete = 1;
    for (uint32_t slot = 0; slot < presence->slots; slot++)
        complete &= make_mask(presence, slot, present + slot * words, transforms, skip);
    *missing = !complete;
    presence->spectra += spectra;
    if (complete)
        presence->complete += spectra;
    else
        count_pairs(presence, spectra);
    for (uint64_t s = 0; valid && s < spectra; s++)
        for (uint32_t slot = 0; slot < presence->slots; slot++)
            *valid++ = (uint8_t)get_bit(presence->mask + slot * presence->words, s);
    return spectra;
}

uint64_t clr_presence_joint(const clr_presence *presence, uint32_t a, uint32_t b)
{
    size_t high = a > b ? a : b, low = a > b ? b : a;
    return presence->complete + presence->pairs[high * (high + 1) / 2 + low];
}

void clr_presence_next(clr_presence *presence)
{
    size_t pairs = (size_t)presence->slots * (presence->slots + 1) / 2;
    memset(presence->pairs, 0, pairs * sizeof *presence->pairs);
    presence->complete = presence->spectra = 0;
}
