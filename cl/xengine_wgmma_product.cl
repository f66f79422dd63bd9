/*
 * The variant wgmma's instructions and what they stand for: 8 x 8 matrices out of local memory, products of a warpgroup whose second
 * operand is named by a descriptor, and the same in plain C. Included by xengine_wgmma.cl, whose parameters and macros it takes.
 *
 * A place in local memory is a byte address: the hardware's own, or with EMULATED the bytes from `memory`; the stages begin at a multiple of
 * 256 in both. The plain C knows nothing of how the stages were filled: it takes the descriptor apart and finds a byte by the rules of the
 * PTX manual (9.7.15.5, asynchronous warpgroup matrix products).
 */
/* An operand whose rows of 32 bytes lie one behind another, the two units of 16 bytes exchanged in rows 4 to 7 of eight: start / 16 in bits
 * 0..13, 1 in 16..29 (of no meaning here), the 256 bytes of eight rows / 16 in 32..45, "32-byte swizzle" in 62..63. */
INLINE ulong descriptor_of(const uint address)
{
    return (address >> 4 & 0x3fff) | (1UL << 16) | ((ulong)(8 * KEY_BYTES / 16) << 32) | (3UL << 62);
}

/* Words of a first operand (load_samples of xengine_wgmma_samples.cl) with (re, im) made (im, -1 - re), a complement, never a negation; of floats
 * (im, -re). Parts of ci4 have words of their own. */
#if INPUT == CI4
#define TURNED(words, w) ((w) < 2 ? (words)[(w) ^ 2] : ~(words)[(w) ^ 2])
#else
#define TURNED(words, w) turned_pairs((words)[w])
#endif
#if EMULATED
INLINE uint turned_pairs(const uint word)
{
#if FLOAT_SUMS
    return (word << 16 | word >> 16) ^ 0x80000000u;
#else
    return ((word & 0x00ff00ffu) << 8 | (word >> 8 & 0x00ff00ffu)) ^ 0xff00ff00u;
#endif
}

/* The sum of products of two words' bytes, added to a sum. */
INLINE int add_bytes(const uint word, const uint factors, int sum)
{
    for (uint n = 0; n < 32; n += 8)
        sum += (int)(signed char)(word >> n & 0xff) * (int)(signed char)(factors >> n & 0xff);
    return sum;
}

INLINE uint word_at(LOCAL_PTR const uchar *memory, const uint address)
{
    return *(LOCAL_PTR const uint *)(memory + address);
}

/* ldmatrix: lane 8 m + r gives the address of row r of matrix m, `at` bytes from its place in the first 16 inputs' edge. Without the
 * transposition a lane gets two elements of 2 bytes of row lane / 4, with it of column lane / 4. */
#define LOAD_MATRICES(raw, memory, at, place, width, first, lane)                                                               \
    UNROLL for (uint m = 0; m < 4; m++) {                                                                                      \
        (void)(place);                                                                                                         \
        if (LAYOUT == 0) {                                                                                                     \
            const uint r = (lane) % 4 * 2, part = (lane) / 4 * 2;                                                              \
            const uint low = (at) + row_place(width, first, 8 * m + r) + part;                                                 \
            const uint high = (at) + row_place(width, first, 8 * m + r + 1) + part;                                            \
            (raw)[m] = (word_at(memory, low & ~3u) >> (low & 2) * 8 & 0xffff) |                                                \
                       (word_at(memory, high & ~3u) >> (high & 2) * 8 & 0xffff) << 16;                                         \
        } else {                                                                                                               \
            (raw)[m] = word_at(memory, (at) + row_place(width, first, 8 * m + (lane) / 4) + (lane) % 4 * 4);                   \
        }                                                                                                                      \
    }

/* Where the second operand has a byte of a column: rows of the swizzle's width in groups of eight, the address's bits 4..6 turned by its
 * bits 7..9. */
INLINE uint operand_address(const ulong descriptor, const uint column, const uint byte)
{
    const uint start = (uint)(descriptor & 0x3fff) << 4, eight_rows = (uint)(descriptor >> 32 & 0x3fff) << 4;
    const uint mode = (uint)(descriptor >> 62), width = mode == 1 ? 128 : mode == 2 ? 64 : mode == 3 ? 32 : 16;
    const uint address = start + column / 8 * eight_rows + column % 8 * width + byte;
    return address ^ ((address >> 7 & (width / 16 - 1)) << 4);
}

#if INPUT == CF32
#define FACTOR(bits) AS_FLOAT((bits) << 16) /* bf16 */
#else
#define FACTOR(bits) half_bits(bits)
#endif
INLINE sum_t dot_of_word(const uint a, const uint b)
{
#if FLOAT_SUMS
    sum_t sum = 0;
    for (uint n = 0; n < 32; n += 16)
        sum += FACTOR(a >> n) * FACTOR(b >> n);
    return sum;
#else
    return add_bytes(a, b, 0);
#endif
}

/*
 * A lane's part of a product of 32 bytes (k32 of integers, k16 of halves): rows lane / 4 (sums 4 n and 4 n + 1) and that + 8 (the other two) of its warp's 16, columns 8 n +
 * 2 (lane % 4) and the next. words[q] are the first operand's registers of the q-th lane of the four that share the rows: the first eight
 * rows' bytes 4 q.. and 16 + 4 q.. in 0 and 2, the others' in 1 and 3. Columns from `columns` on are nobody's.
 */
INLINE void product_in_c(sum_t *re, sum_t *im, uint words[4][4], const ulong descriptor, LOCAL_PTR const uchar *memory, const uint lane,
                         const uint width, const uint columns)
{
    for (uint n = 0; n < width / 8; n++)
        for (uint e = 0; e < 2; e++) {
            const uint column = 8 * n + lane % 4 * 2 + e;
            for (uint byte = 0; byte < KEY_BYTES && column < columns; byte += 4) {
                const uint b = word_at(memory, operand_address(descriptor, column, byte));
                for (uint h = 0; h < 2; h++) {
                    const uint *const a = words[byte % 16 / 4], w = byte / 16 * 2 + h;
                    re[4 * n + 2 * h + e] += dot_of_word(a[w], b);
                    im[4 * n + 2 * h + e] += dot_of_word(TURNED(a, w), b);
                }
            }
        }
}

#define PUT_WORD(memory, to, word, mine)                                                                                        \
    if (mine)                                                                                                                  \
    *(LOCAL_PTR uint *)((memory) + (to)) = (word)
#define GET_WORD(word, memory, at) (word) = word_at(memory, at)
#define PUT_UNIT(memory, to, words)                                                                                             \
    for (uint w = 0; w < 4; w++)                                                                                               \
    *(LOCAL_PTR uint *)((memory) + (to) + 4 * w) = (words)[w]
#define KEPT(value)
#define KEPT_LONG(value)
#define HELD(sum)
#define START_SUM(sum) (sum) = 0
#define PRODUCTS_FENCE()
#define PRODUCTS_COMMIT()
#define PRODUCTS_WAIT(n)
#define PROXY_FENCE()
#define CAP_REGISTERS()

#else

INLINE uint bytes_of(const uint a, const uint b, const uint which)
{
    uint result;
    ASM_PURE("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(which));
    return result;
}

INLINE uint turned_pairs(const uint word)
{
#if FLOAT_SUMS
    return bytes_of(word, word, 0x1032) ^ 0x80000000u;
#else
    return bytes_of(word, word, 0x2301) ^ 0xff00ff00u;
#endif
}

INLINE int add_bytes(const uint word, const uint factors, const int sum)
{
    int result;
    ASM_PURE("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(word), "r"(factors), "r"(sum));
    return result;
}

/* OpenCL's compiler does not know the architecture's own instructions: it carries them as comments, which the host removes from what was
 * built (src/device/opencl_specific.c). */
#if defined(CLR_CUDA)
#define SPECIFIC
#else
#define SPECIFIC "//specific "
#endif

#if LAYOUT == 0
#define TRANSPOSED ".trans"
#else
#define TRANSPOSED ""
#endif
#define LOAD_MATRICES(raw, memory, at, place, width, first, lane)                                                                \
    ASM("ldmatrix.sync.aligned.m8n8.x4" TRANSPOSED ".shared.b16 {%0,%1,%2,%3}, [%4];"                                         \
        : "=r"((raw)[0]), "=r"((raw)[1]), "=r"((raw)[2]), "=r"((raw)[3])                                                      \
        : "r"((at) + (place))                                                                                                 \
        : "memory")

#if FLOAT_SUMS
#define SUM "+f"
#if INPUT == CF32
#define K_AND_TYPES "k16.f32.bf16.bf16"
#else
#define K_AND_TYPES "k16.f32.f16.f16"
#endif
#define SCALES ", 1, 1, 0"
#else
#define SUM "+r"
#define K_AND_TYPES "k32.s32.s8.s8"
#define SCALES ""
#endif
#define SUMS_8(s, n)                                                                                                            \
    SUM ((s)[(n)]), SUM ((s)[(n) + 1]), SUM ((s)[(n) + 2]), SUM ((s)[(n) + 3]), SUM ((s)[(n) + 4]), SUM ((s)[(n) + 5]),              \
        SUM ((s)[(n) + 6]), SUM ((s)[(n) + 7])
#define SUMS_32(s) SUMS_8(s, 0), SUMS_8(s, 8), SUMS_8(s, 16), SUMS_8(s, 24)
#define SUMS_40(s) SUMS_32(s), SUMS_8(s, 32)
#define SUMS_48(s) SUMS_40(s), SUMS_8(s, 40)
#define SUMS_64(s) SUMS_48(s), SUMS_8(s, 48), SUMS_8(s, 56)
#define SUMS_72(s) SUMS_64(s), SUMS_8(s, 64)
#define SUMS_80(s) SUMS_72(s), SUMS_8(s, 72)

/* The names of so many sums in an instruction, and of what comes behind them: rows, descriptor, and whether it adds to the sums. */
#define NAMES_32 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define NAMES_40 NAMES_32 ",%32,%33,%34,%35,%36,%37,%38,%39"
#define NAMES_48 NAMES_40 ",%40,%41,%42,%43,%44,%45,%46,%47"
#define NAMES_64 NAMES_48 ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define NAMES_72 NAMES_64 ",%64,%65,%66,%67,%68,%69,%70,%71"
#define NAMES_80 NAMES_72 ",%72,%73,%74,%75,%76,%77,%78,%79"
#define PRODUCT_WITH(columns, names, sums, a0, a1, a2, a3, operand, more)                                                         \
    ASM(SPECIFIC "{ .reg .pred add; setp.ne.b32 add, " more ", 0; "                                                           \
                 "wgmma.mma_async.sync.aligned.m64n" columns K_AND_TYPES " {" names "}, {" a0 "," a1 "," a2 "," a3 "}, " operand  \
                 ", add" SCALES "; }"                                                                                         \
        : sums                                                                                                                \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor), "r"(add))

/* A warpgroup's 64 rows with so many columns, which the compiler knows. */
PART_OF_KERNEL void multiply(sum_t *sums, const uint *a, const ulong descriptor, const uint add, const uint columns)
{
    if (columns == 64)
        PRODUCT_WITH("64", NAMES_32, SUMS_32(sums), "%32", "%33", "%34", "%35", "%36", "%37");
#if COLUMNS >= 128
    if (columns == 128)
        PRODUCT_WITH("128", NAMES_64, SUMS_64(sums), "%64", "%65", "%66", "%67", "%68", "%69");
#endif
#if EXTRA == 16
    if (columns == 80)
        PRODUCT_WITH("80", NAMES_40, SUMS_40(sums), "%40", "%41", "%42", "%43", "%44", "%45");
    if (columns == 144)
        PRODUCT_WITH("144", NAMES_72, SUMS_72(sums), "%72", "%73", "%74", "%75", "%76", "%77");
#elif EXTRA == 32
    if (columns == 96)
        PRODUCT_WITH("96", NAMES_48, SUMS_48(sums), "%48", "%49", "%50", "%51", "%52", "%53");
    if (columns == 160)
        PRODUCT_WITH("160", NAMES_80, SUMS_80(sums), "%80", "%81", "%82", "%83", "%84", "%85");
#endif
}

#define PUT_WORD(memory, to, word, mine)                                                                                        \
    ASM("{ .reg .pred mine; setp.ne.u32 mine, %2, 0; @mine st.shared.u32 [%0], %1; }" ::"r"(to), "r"(word), "r"((uint)(mine))  \
        : "memory")

#define GET_WORD(word, memory, at) ASM("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(at) : "memory")
#define PUT_UNIT(memory, to, words)                                                                                             \
    ASM("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(to), "r"((words)[0]), "r"((words)[1]), "r"((words)[2]), "r"((words)[3])    \
        : "memory")

/* So many registers a work-item that RESIDENT work-groups fit. CUDA's compiler knows that by the kernel's bounds; OpenCL's carries it as a comment
 * too, of which the host makes the kernel's directive. */
#if !defined(CLR_CUDA) && 65536 / (GROUP + 32 * COPIERS) / RESIDENT < 256
#define CAP_REGISTERS() ASM("//maxnreg %0" ::"n"(65536 / (GROUP + 32 * COPIERS) / RESIDENT / 8 * 8))
#else
#define CAP_REGISTERS()
#endif

/* A whole warpgroup that only copies leaves its registers to those that multiply: a kernel is compiled for equal shares. */
#if COPIERS == 4 && WARPGROUPS > 1
#define COPIER_REGISTERS() ASM(SPECIFIC "setmaxnreg.dec.sync.aligned.u32 40;")
#define PRODUCT_REGISTERS() ASM(SPECIFIC "setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"((512 / RESIDENT - 40) / WARPGROUPS / 8 * 8))
#else
#define COPIER_REGISTERS()
#define PRODUCT_REGISTERS()
#endif

/* A value that the compiler cannot know and so keeps, instead of computing it again in every stage. */
#define KEPT(value) ASM("" : "+r"(value))
#define KEPT_LONG(value) ASM("" : "+l"(value))
/* Nothing that reads a sum may be moved in front of the wait for its products, on which by itself it does not depend. */
#define HELD(sum) ASM("" : SUM (sum))
/* The next products do not add to it: its value is of no meaning. */
#define START_SUM(sum)

/* Registers that products read or add to were written before; the products so far are a group; at most n groups are still at work. */
#define PRODUCTS_FENCE() ASM(SPECIFIC "wgmma.fence.sync.aligned;" ::: "memory")
#define PRODUCTS_COMMIT() ASM(SPECIFIC "wgmma.commit_group.sync.aligned;" ::: "memory")
#define PRODUCTS_WAIT(n) ASM(SPECIFIC "wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory")
/* What this work-item wrote to local memory, asynchronous copies that were waited for among it, is there for products to come. */
#define PROXY_FENCE() ASM("fence.proxy.async.shared::cta;" ::: "memory")

#endif
