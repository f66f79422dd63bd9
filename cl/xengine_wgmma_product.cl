/*
 * The variant wgmma's instructions and what they stand for: 8 x 8 matrices out of local memory, products of a warpgroup whose second
 * operand is named by a descriptor, and the same in plain C. Included by xengine_wgmma.cl, whose parameters and macros it takes.
 *
 * A place in local memory is a byte address: the hardware's own, or with EMULATED the bytes from `memory`; the stages begin at a multiple of
 * 1,024 in both. The plain C knows nothing of how the stages were filled: it takes the descriptor apart and finds a byte by the rules of the
 * PTX manual (9.7.15.5, asynchronous warpgroup matrix products).
 */
/* An operand whose rows of 128 bytes lie one behind another, units of 16 bytes permuted: start / 16 in bits 0..13, 1 in 16..29 (of no
 * meaning here), the 1,024 bytes of eight rows / 16 in 32..45, "128-byte swizzle" in 62..63. */
INLINE ulong descriptor_of(const uint address)
{
    return (address >> 4 & 0x3fff) | (1UL << 16) | ((ulong)(8 * ROW_BYTES / 16) << 32) | (1UL << 62);
}

/* (re, im) pairs into (im, -1 - re): a complement, never a negation. */
#if EMULATED
INLINE uint turned(const uint word)
{
    return ((word & 0x00ff00ffu) << 8 | (word >> 8 & 0x00ff00ffu)) ^ 0xff00ff00u;
}

/* The two imaginary parts of a word added to a sum. */
INLINE int add_imaginary(const uint word, const int sum)
{
    return sum + (int)(signed char)(word >> 8 & 0xff) + (int)(signed char)(word >> 24);
}

INLINE uint word_at(LOCAL_PTR const uchar *memory, const uint address)
{
    return *(LOCAL_PTR const uint *)(memory + address);
}

/* ldmatrix: lane 8 m + r gives the address of row r of matrix m; `addresses` is asked for those. Without the transposition a lane gets
 * two elements of 2 bytes of row lane / 4, with it of column lane / 4. */
#define LOAD_MATRICES(raw, memory, edge, width, first, group, k, lane)                                                         \
    UNROLL for (uint m = 0; m < 4; m++) {                                                                                      \
        if (LAYOUT == 0) {                                                                                                     \
            const uint r = (lane) % 4 * 2, at = (lane) / 4 * 2;                                                                \
            const uint low = row_address(edge, width, first, group, k, 8 * m + r) + at;                                        \
            const uint high = row_address(edge, width, first, group, k, 8 * m + r + 1) + at;                                   \
            (raw)[m] = (word_at(memory, low & ~3u) >> (low & 2) * 8 & 0xffff) |                                                \
                       (word_at(memory, high & ~3u) >> (high & 2) * 8 & 0xffff) << 16;                                         \
        } else {                                                                                                               \
            (raw)[m] = word_at(memory, row_address(edge, width, first, group, k, 8 * m + (lane) / 4) + (lane) % 4 * 4);        \
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

INLINE int dot_of_bytes(const uint a, const uint b)
{
    int sum = 0;
    for (uint n = 0; n < 32; n += 8)
        sum += (int)(signed char)(a >> n & 0xff) * (int)(signed char)(b >> n & 0xff);
    return sum;
}

/*
 * A lane's part of m64nPRODUCTk32: rows lane / 4 (sums 4 n and 4 n + 1) and that + 8 (the other two) of its warp's 16, columns 8 n +
 * 2 (lane % 4) and the next. words[q] are the first operand's registers of the q-th lane of the four that share the rows: the first eight
 * rows' bytes 4 q.. and 16 + 4 q.. in 0 and 2, the others' in 1 and 3. Columns from `columns` on are nobody's.
 */
INLINE void product_in_c(int *re, int *im, uint words[4][4], const ulong descriptor, LOCAL_PTR const uchar *memory, const uint lane,
                         const uint columns)
{
    for (uint n = 0; n < PRODUCT / 8; n++)
        for (uint e = 0; e < 2; e++) {
            const uint column = 8 * n + lane % 4 * 2 + e;
            for (uint byte = 0; byte < KEY_BYTES && column < columns; byte += 4) {
                const uint b = word_at(memory, operand_address(descriptor, column, byte));
                for (uint h = 0; h < 2; h++) {
                    const uint a = words[byte % 16 / 4][byte / 16 * 2 + h];
                    re[4 * n + 2 * h + e] += dot_of_bytes(a, b);
                    im[4 * n + 2 * h + e] += dot_of_bytes(turned(a), b);
                }
            }
        }
}

#define PRODUCTS_FENCE()
#define PRODUCTS_COMMIT()
#define PRODUCTS_WAIT(n)
#define PROXY_FENCE()

#else

INLINE uint turned(const uint word)
{
    return __byte_perm(word, word, 0x2301) ^ 0xff00ff00u;
}

INLINE int add_imaginary(const uint word, const int sum)
{
    return __dp4a((int)word, 0x01000100, sum);
}

#if LAYOUT == 0
#define TRANSPOSED ".trans"
#else
#define TRANSPOSED ""
#endif
#define LOAD_MATRICES(raw, memory, edge, width, first, group, k, lane)                                                          \
    ASM("ldmatrix.sync.aligned.m8n8.x4" TRANSPOSED ".shared.b16 {%0,%1,%2,%3}, [%4];"                                         \
        : "=r"((raw)[0]), "=r"((raw)[1]), "=r"((raw)[2]), "=r"((raw)[3])                                                      \
        : "r"(row_address(edge, width, first, group, k, lane))                                                                \
        : "memory")

#define SUMS_8(s, n)                                                                                                             \
    "+r"((s)[(n)]), "+r"((s)[(n) + 1]), "+r"((s)[(n) + 2]), "+r"((s)[(n) + 3]), "+r"((s)[(n) + 4]), "+r"((s)[(n) + 5]),        \
        "+r"((s)[(n) + 6]), "+r"((s)[(n) + 7])

INLINE void product_64(int *sums, const uint *a, const ulong descriptor, const uint add)
{
    ASM("{\n.reg .pred add;\nsetp.ne.b32 add, %37, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 {"
        "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
        "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
        "}, {%32,%33,%34,%35}, %36, add;\n}\n"
        : SUMS_8(sums, 0), SUMS_8(sums, 8), SUMS_8(sums, 16), SUMS_8(sums, 24)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor), "r"(add));
}

INLINE void product_128(int *sums, const uint *a, const ulong descriptor, const uint add)
{
    ASM("{\n.reg .pred add;\nsetp.ne.b32 add, %69, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8 {"
        "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
        "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
        "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"
        "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
        "}, {%64,%65,%66,%67}, %68, add;\n}\n"
        : SUMS_8(sums, 0), SUMS_8(sums, 8), SUMS_8(sums, 16), SUMS_8(sums, 24),
          SUMS_8(sums, 32), SUMS_8(sums, 40), SUMS_8(sums, 48), SUMS_8(sums, 56)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor), "r"(add));
}

#if PRODUCT == 64
#define MULTIPLY product_64
#else
#define MULTIPLY product_128
#endif

/* Registers that products read or add to were written before; the products so far are a group; at most n groups are still at work. */
#define PRODUCTS_FENCE() ASM("wgmma.fence.sync.aligned;" ::: "memory")
#define PRODUCTS_COMMIT() ASM("wgmma.commit_group.sync.aligned;" ::: "memory")
#define PRODUCTS_WAIT(n) ASM("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory")
/* What this work-item wrote to local memory, asynchronous copies that were waited for among it, is there for products to come. */
#define PROXY_FENCE() ASM("fence.proxy.async.shared::cta;" ::: "memory")

#endif
