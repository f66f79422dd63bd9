/*
 * How stages of spectra come into local memory (xengine_fma.cl): [T_STAGE][STAGE_PITCH] vectors of two neighbouring inputs, a
 * block's rows before its columns.
 *
 * Where inputs lie together (BLOCK_TIMES=1) a work-item copies one pair of them in every COPY_STEP-th spectrum. Where times lie
 * together it copies one time of every COPY_STEP-th input (BY_TIME), so that neighbours read neighbouring samples of an input and
 * addresses differ by constants; a spectrum is then one vector longer, so that the times of an input, which neighbours write
 * together, lie in different banks.
 *
 * Parameters: ASYNC, WHOLE_STAGES, BLOCK_TIMES
 */
#define BY_TIME (BLOCK_TIMES != 1) /* GROUP is then a multiple of T_STAGE, and EDGE one of GROUP / T_STAGE */
#define STAGE_PITCH (EDGE + BY_TIME)
#define STAGE_PAIRS (T_STAGE * STAGE_PITCH)
#define COPIES (T_STAGE * EDGE / GROUP) /* pairs of inputs of a stage that a work-item copies; BY_TIME half as many as samples */

#if INPUT == 3
typedef uint sample_t;
#else
typedef float2 sample_t;
#endif

/* A work-item's copies: 2 COPIES samples pass through registers, unless the asynchronous unit takes them. */
#if ASYNC
typedef uint copied_t;
#else
typedef sample_t copied_t;

INLINE sample_t no_sample(void)
{
    sample_t nothing;
#if INPUT == 3
    nothing = 0;
#else
    nothing.x = nothing.y = 0.0f;
#endif
    return nothing;
}

INLINE float2 widened(const sample_t sample)
{
#if INPUT == 3
    float2 wide;
    wide.x = half_bits(sample & 0xffffu);
    wide.y = half_bits(sample >> 16);
    return wide;
#else
    return sample;
#endif
}
#endif

#if BY_TIME
#define COPY_STEP (GROUP / T_STAGE) /* inputs from one of a work-item's to the next; COPIES of them are rows, COPIES columns */
#define SECOND (BLOCK_TIMES ? BLOCK_TIMES : c->second)

typedef struct copy_place {
    GLOBAL const sample_t *rows, *columns; /* of the next stage, this work-item's time: its first row and its first column */
    ulong stride;                          /* samples from a block of times to the next */
    ulong second;                          /* samples from an input to the next */
    uint within;                           /* xengine_times.cl */
    uint spectrum, to;                     /* its time in a stage; samples of a stage before the first that it writes */
    uint rows_there, columns_there;        /* how many of its rows and of its columns the array has */
} copy_place;

/* Of the inputs first, first + COPY_STEP and so on, those of the array. */
INLINE uint inputs_there(const uint first, const uint inputs)
{
    const uint there = first < inputs ? (inputs - first + COPY_STEP - 1) / COPY_STEP : 0;
    return there < COPIES ? there : COPIES;
}

INLINE copy_place copies_of(const block_place *p, GLOBAL const sample_t *spectra, const ulong stride, const ulong input_stride,
                            const uint item)
{
    copy_place c;
    const uint first = item / T_STAGE, row = p->y_first + first, column = p->x_first + first;
    c.spectrum = item % T_STAGE;
    c.to = c.spectrum * (2 * STAGE_PITCH) + first;
    c.stride = stride;
    c.second = input_stride;
    c.within = 0;
    c.rows_there = inputs_there(row, p->inputs);
    c.columns_there = inputs_there(column, p->inputs);
    spectra += time_offset(c.spectrum, stride);
    c.rows = spectra + (c.rows_there ? row : 0) * input_stride;
    c.columns = spectra + (c.columns_there ? column : 0) * input_stride;
    return c;
}

INLINE void next_stage(copy_place *c)
{
    const ulong samples = stage_offset(&c->within, c->stride);
    c->rows += samples;
    c->columns += samples;
}

#if ASYNC
/* Starts the copies of the next stage, of which `left` spectra are there: those behind, and inputs beyond the array, become
 * zeros (nothing is read where nothing is there). */
INLINE void start_copies(LOCAL_PTR float4 *stage, copy_place *c, const uint left, copied_t *copied)
{
    LOCAL_PTR float2 *const to = (LOCAL_PTR float2 *)stage + c->to;
    (void)copied;
    if (WHOLE_STAGES && left >= T_STAGE && c->rows_there == COPIES && c->columns_there == COPIES) { /* fewer instructions */
        UNROLL for (uint k = 0; k < COPIES; k++) {
            COPY_ASYNC(to + k * COPY_STEP, c->rows + k * COPY_STEP * SECOND, 8, 8);
            COPY_ASYNC(to + EDGE + k * COPY_STEP, c->columns + k * COPY_STEP * SECOND, 8, 8);
        }
    } else {
        const uint rows = c->spectrum < left ? c->rows_there : 0, columns = c->spectrum < left ? c->columns_there : 0;
        UNROLL for (uint k = 0; k < COPIES; k++) {
            COPY_ASYNC(to + k * COPY_STEP, c->rows + k * COPY_STEP * SECOND, 8, k < rows ? 8 : 0);
            COPY_ASYNC(to + EDGE + k * COPY_STEP, c->columns + k * COPY_STEP * SECOND, 8, k < columns ? 8 : 0);
        }
    }
    COPY_COMMIT();
    next_stage(c);
}
#else
INLINE void start_copies(LOCAL_PTR float4 *stage, copy_place *c, const uint left, copied_t *copied)
{
    const uint rows = c->spectrum < left ? c->rows_there : 0, columns = c->spectrum < left ? c->columns_there : 0;
    (void)stage;
    UNROLL for (uint k = 0; k < COPIES; k++) {
        copied[k] = k < rows ? c->rows[k * COPY_STEP * SECOND] : no_sample();
        copied[COPIES + k] = k < columns ? c->columns[k * COPY_STEP * SECOND] : no_sample();
    }
    next_stage(c);
}

INLINE void end_copies(LOCAL_PTR float4 *stage, const copy_place *c, const copied_t *copied)
{
    LOCAL_PTR float2 *const to = (LOCAL_PTR float2 *)stage + c->to;
    UNROLL for (uint k = 0; k < COPIES; k++) {
        to[k * COPY_STEP] = widened(copied[k]);
        to[EDGE + k * COPY_STEP] = widened(copied[COPIES + k]);
    }
}
#endif
#else
#define COPY_STEP (GROUP / EDGE) /* spectra from one of a work-item's to the next */

/* Where a work-item's copies come from and go to: the same pair of inputs of every COPY_STEP-th spectrum. */
typedef struct copy_place {
    GLOBAL const sample_t *from; /* of the next stage */
    ulong stride;                /* samples from a spectrum to the next */
    uint spectrum, pair;         /* the first that it copies, and where that goes in a staged spectrum */
    uint there;                  /* inputs of the pair that the array has: 0, 1, 2 */
    int aligned;                 /* a pair is, in every spectrum, and none of it lies beyond the array */
} copy_place;

/* Where the k-th of them begins. */
#define COPY_FROM(c, k) ((c)->from + (k) * COPY_STEP * (c)->stride)

INLINE copy_place copies_of(const block_place *p, GLOBAL const sample_t *spectra, const ulong stride, const ulong input_stride,
                            const uint item)
{
    copy_place c;
    c.pair = item % EDGE;
    c.spectrum = item / EDGE;
    const uint input = c.pair < EDGE_PAIRS ? p->y_first + 2 * c.pair : p->x_first + 2 * (c.pair - EDGE_PAIRS);
    c.there = input >= p->inputs ? 0 : p->inputs - input < 2 ? 1 : 2;
    c.stride = stride;
    c.from = spectra + (c.there ? input : 0) + c.spectrum * stride;
    (void)input_stride;
    c.aligned = c.there != 1 && stride % 2 == 0 && (ulong)spectra % (2 * sizeof(sample_t)) == 0;
    return c;
}

#if ASYNC
/* Starts the copies of the next stage, of which `left` spectra are there: those behind, and inputs beyond the array, become
 * zeros (nothing is read where nothing is there). */
INLINE void start_copies(LOCAL_PTR float4 *stage, copy_place *c, const uint left, copied_t *copied)
{
    LOCAL_PTR float4 *const to = stage + c->spectrum * STAGE_PITCH + c->pair;
    (void)copied;
    if (c->aligned && WHOLE_STAGES && left >= T_STAGE) { /* all but the last: fewer instructions */
        GLOBAL const sample_t *from = c->from;
        UNROLL for (uint k = 0; k < COPIES; k++) {
            COPY_16_ASYNC(to + k * COPY_STEP * STAGE_PITCH, from, c->there ? 16 : 0);
            from += COPY_STEP * c->stride;
        }
    } else if (c->aligned) {
        UNROLL for (uint k = 0; k < COPIES; k++)
            COPY_16_ASYNC(to + k * COPY_STEP * STAGE_PITCH, COPY_FROM(c, k),
                          c->there && c->spectrum + k * COPY_STEP < left ? 16 : 0);
    } else {
        UNROLL for (uint k = 0; k < COPIES; k++) {
            const uint there = c->spectrum + k * COPY_STEP < left ? c->there : 0;
            GLOBAL const sample_t *const from = COPY_FROM(c, k);
            COPY_ASYNC(to + k * COPY_STEP * STAGE_PITCH, from, 8, there ? 8 : 0);
            COPY_ASYNC((LOCAL_PTR float *)(to + k * COPY_STEP * STAGE_PITCH) + 2, from + 1, 8, there > 1 ? 8 : 0);
        }
    }
    COPY_COMMIT();
    c->from += T_STAGE * c->stride;
}

#else
INLINE void start_copies(LOCAL_PTR float4 *stage, copy_place *c, const uint left, copied_t *copied)
{
    (void)stage;
    UNROLL for (uint k = 0; k < COPIES; k++) {
        const uint there = c->spectrum + k * COPY_STEP < left ? c->there : 0;
        GLOBAL const sample_t *const from = COPY_FROM(c, k);
        copied[2 * k] = there ? from[0] : no_sample();
        copied[2 * k + 1] = there > 1 ? from[1] : no_sample();
    }
    c->from += T_STAGE * c->stride;
}

INLINE void end_copies(LOCAL_PTR float4 *stage, const copy_place *c, const copied_t *copied)
{
    UNROLL for (uint k = 0; k < COPIES; k++) {
        const float2 first = widened(copied[2 * k]), second = widened(copied[2 * k + 1]);
        float4 pair;
        pair.x = first.x;
        pair.y = first.y;
        pair.z = second.x;
        pair.w = second.y;
        stage[(c->spectrum + k * COPY_STEP) * STAGE_PITCH + c->pair] = pair;
    }
}

#endif
#endif

#if ASYNC
#define END_COPIES(stage, c, copied)
#else
#define END_COPIES(stage, c, copied) end_copies(stage, c, copied)
#endif
