/*
 * Which element of a 16 x 16 x K product of bytes a lane of an AMD wave holds. Sources: AMD's "AMD Instinct MI100" (MI200,
 * MI300) and "RDNA 3" instruction set architecture documents, chapters on matrix instructions. Plain C, so that a test on the host
 * emulates the instructions with it.
 *
 * Host macro:
 *   WAVE  64: CDNA's v_mfma_i32_16x16x16_i8 (FRAGMENT_WORDS 1; 2 with CDNA 3's v_mfma_i32_16x16x32_i8);
 *         32: RDNA 3's v_wmma_i32_16x16x16_iu8 (FRAGMENT_WORDS 4)
 *
 * A and B alike: a lane holds FRAGMENT_WORDS words, each of four successive k of one row of A, or one column of B.
 * D: a lane holds FRAGMENT_SUMS sums of one column.
 */
#ifndef WAVE
#define WAVE 64
#endif
#ifndef FRAGMENT_WORDS
#define FRAGMENT_WORDS (WAVE == 64 ? 1 : 4)
#endif

#define FRAGMENT_SUMS (WAVE == 64 ? 4 : 8)
/* Words of four k that an instruction takes of a row. */
#define FRAGMENT_QUADS (WAVE == 64 ? 4 * FRAGMENT_WORDS : 4)

/* The row of A, or the column of B, of a lane. */
#define FRAGMENT_LINE(lane) ((lane) % 16)
/* Which four k its word w holds: 4 FRAGMENT_QUAD .. 4 FRAGMENT_QUAD + 3. RDNA 3's upper half repeats the lower one. */
#define FRAGMENT_QUAD(lane, w) (WAVE == 64 ? (lane) / 16 * FRAGMENT_WORDS + (w) : (w))
/* The row and the column of its sum v in D. */
#define FRAGMENT_ROW(lane, v) (WAVE == 64 ? (lane) / 16 * 4 + (v) : 2 * (v) + (lane) / 16)
#define FRAGMENT_COLUMN(lane) ((lane) % 16)
