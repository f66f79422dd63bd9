/*
 * What a device can do, found by building small programs, and by running one (probe_loop.c): macros
 * and extension strings claim things that do not compile. The answers of a kind of device
 * (platform, driver, name) are kept in one locked table of the process, and in the cache on disk.
 *
 * An extension string only saves a build that is known to fail; it never makes a feature present.
 */
#include "device/probe.h"

#include "device/cache.h"
#include "device/program_key.h"

#include <stdlib.h>
#include <string.h>

typedef struct probe_answers {
    int compiles, fp64, fp16, packed_dot, matrix_unit;
    uint32_t loop_limit;
    char why[256]; /* when it does not compile, or its loops do not run */
} probe_answers;

typedef struct probe_entry {
    struct probe_entry *next;
    probe_answers answers;
    char key[]; /* of the device */
} probe_entry;

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static probe_entry *table;

static const char *const fp64[] = {
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "__kernel void probe(__global double *a)\n"
    "{ double x = a[0]; a[1] = fma(x, 1.0 / 3.0, x); }\n",
};

/* Arithmetic, not only vload_half. */
static const char *const fp16[] = {
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "__kernel void probe(__global half *a)\n"
    "{ half x = a[0]; a[1] = x * x + (half)1; }\n",
};

/* Four ways to an 8-bit dot product; the first that builds decides. Their numbers are
 * HAVE_PACKED_DOT of cl/packed_dot.cl. */
static const char *const packed_dot[] = {
    /* NVIDIA, sm_61 and later */
    "__kernel void probe(__global int *a)\n"
    "{ int r; __asm__ volatile(\"dp4a.s32.s32 %0, %1, %2, %3;\" : \"=r\"(r) : \"r\"(a[0]), "
    "\"r\"(a[1]), \"r\"(a[2])); a[3] = r; }\n",
    /* AMD gfx906, gfx908, gfx90a, gfx103x */
    "__kernel void probe(__global int *a)\n"
    "{ a[3] = __builtin_amdgcn_sdot4(a[0], a[1], a[2], false); }\n",
    /* AMD gfx11 */
    "__kernel void probe(__global int *a)\n"
    "{ a[3] = __builtin_amdgcn_sudot4(true, a[0], true, a[1], a[2], false); }\n",
    /* cl_khr_integer_dot_product */
    "__kernel void probe(__global int *a)\n"
    "{ a[3] = dot_4x8packed_ss_int((uint)a[0], (uint)a[1]) + a[2]; }\n",
};

/* Four ways to an int8 matrix product. Their numbers are those of clradio_device_info.matrix_unit.
 */
static const char *const matrix_unit[] = {
    /* NVIDIA, sm_75 and later (m8n8k16; sm_80 has larger shapes besides) */
    "__kernel void probe(__global int *a)\n"
    "{ int r, s; __asm__ volatile(\"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, "
    "{%3}, {%4,%5};\" : \"=r\"(r), \"=r\"(s) : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), "
    "\"r\"(a[3])); a[4] = r + s; }\n",
    /* AMD matrix cores. __has_builtin is true where the instruction is not: the target decides */
    "#if !defined(__gfx908__) && !defined(__gfx90a__) && !defined(__gfx940__) && "
    "!defined(__gfx942__)\n#error no int8 matrix cores\n#endif\n"
    "typedef int int4_t __attribute__((ext_vector_type(4)));\n"
    "__kernel void probe(__global int *a)\n"
    "{ int4_t c = (int4_t)(0);\n"
    "#if defined(__gfx908__) || defined(__gfx90a__)\n"
    "c = __builtin_amdgcn_mfma_i32_16x16x16i8(a[0], a[1], c, 0, 0, 0);\n"
    "#else\n"
    "c = __builtin_amdgcn_mfma_i32_16x16x32_i8((long)a[0], (long)a[1], c, 0, 0, 0);\n"
    "#endif\n"
    "a[2] = c.x + c.y + c.z + c.w; }\n",
    /* Intel */
    "#ifndef cl_intel_subgroup_matrix_multiply_accumulate\n#error no matrix units\n#endif\n"
    "__kernel void probe(__global int *a)\n"
    "{ a[0] = intel_sub_group_i8_i8_matrix_mad_k32(as_int(a[0]), (int8)(a[1]), a[2]); }\n",
    /* AMD RDNA 3, in waves of 32 */
    "#if !defined(__gfx1100__) && !defined(__gfx1101__) && !defined(__gfx1102__) && "
    "!defined(__gfx1103__)\n#error no RDNA 3\n#endif\n"
    "typedef int int4_t __attribute__((ext_vector_type(4)));\n"
    "typedef int int8_t __attribute__((ext_vector_type(8)));\n"
    "__kernel void probe(__global int *a)\n"
    "{ int8_t c = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, (int4_t)(a[0]), true, "
    "(int4_t)(a[1]), (int8_t)(0), false); a[2] = c.s0 + c.s7; }\n",
};

/* The program and its kernel `probe`, or a failure with nothing left. */
static clradio_status build(clradio_device *device, const char *source, void **program,
                            void **kernel, char **log)
{
    const clr_backend *backend = device->backend;
    clradio_status status =
        backend->build(device, source, strlen(source), clr_program_options(device), program, log);
    if (status)
        return status;
    status = backend->kernel_create(*program, "probe", kernel);
    if (status)
        backend->program_release(*program);
    return status;
}

static int builds(clradio_device *device, const char *source, char **log)
{
    void *program = NULL, *kernel = NULL;
    if (build(device, source, &program, &kernel, log))
        return 0;
    device->backend->kernel_release(kernel);
    device->backend->program_release(program);
    return 1;
}

static clradio_status find_loop_limit(clradio_device *device, uint32_t *limit)
{
    void *program = NULL, *kernel = NULL;
    clradio_status status = build(device, clr_probe_loop_source, &program, &kernel, NULL);
    if (status)
        return status;
    status = clr_probe_loop(device, kernel, limit);
    device->backend->kernel_release(kernel);
    device->backend->program_release(program);
    return status;
}

/* Known from the architecture (which then has the first way), or the first of the sources that
 * builds decides: its number from 1 on, 0 when there is none. */
static int has(clradio_device *device, const char *feature, const char *const *sources, size_t n)
{
    int may = device->backend->may_have(device, feature);
    if (may != 1)
        return may == 2;
    for (size_t i = 0; i < n; i++)
        if (builds(device, sources[i], NULL))
            return (int)i + 1;
    return 0;
}

static void probe(clradio_device *device, probe_answers *answers)
{
    char *log = NULL;
    memset(answers, 0, sizeof *answers);
    answers->compiles = builds(device, device->backend->trivial, &log);
    if (!answers->compiles) {
        clr_text why = { 0 };
        clr_text_add(&why, "a kernel of one line does not compile: %s%s%s", clradio_last_error(),
                     log ? ": " : "", log ? log : "");
        clr_copy_text(answers->why, sizeof answers->why,
                      why.bytes ? why.bytes : "a kernel of one line does not compile");
        clr_text_free(&why);
        free(log);
        return;
    }
    free(log);
    if (find_loop_limit(device, &answers->loop_limit)) {
        answers->compiles = 0;
        clr_copy_text(answers->why, sizeof answers->why, clradio_last_error());
        return;
    }
    answers->fp64 = has(device, "fp64", fp64, sizeof fp64 / sizeof *fp64);
    answers->fp16 = has(device, "fp16", fp16, sizeof fp16 / sizeof *fp16);
    answers->packed_dot =
        has(device, "packed_dot", packed_dot, sizeof packed_dot / sizeof *packed_dot);
    answers->matrix_unit =
        has(device, "matrix_unit", matrix_unit, sizeof matrix_unit / sizeof *matrix_unit);
}

/* ---- from one process to the next ---- */

/* The answers depend on what the compiler is, what steers it, and what it was asked. */
static void make_key(const char *device_key, clr_text *key)
{
    clr_text_add(key, "clradio probes 3\nprogram (features)\n%s", device_key);
    clr_program_key_environment(key);
    clr_text_add(key, "source\n%s%s%s", clr_probe_loop_source, fp64[0], fp16[0]);
    for (size_t i = 0; i < sizeof packed_dot / sizeof *packed_dot; i++)
        clr_text_add(key, "%s", packed_dot[i]);
    for (size_t i = 0; i < sizeof matrix_unit / sizeof *matrix_unit; i++)
        clr_text_add(key, "%s", matrix_unit[i]);
}

/* 1 (it compiles); fp64, fp16, packed_dot, matrix_unit as 0 or which way; the loop limit, lowest
 * byte first. */
enum { KEPT_BYTES = 9 };

static int recall(const clr_cache *cache, const clr_text *key, probe_answers *answers)
{
    unsigned char *bytes;
    size_t count;
    if (cache->mode == CLR_CACHE_VERIFY ||
        !clr_cache_read(cache, key->bytes, key->length, &bytes, &count))
        return 0;
    int good = count == KEPT_BYTES && bytes[0] == 1;
    if (good) {
        *answers = (probe_answers){ .compiles = 1,
                                    .fp64 = bytes[1],
                                    .fp16 = bytes[2],
                                    .packed_dot = bytes[3],
                                    .matrix_unit = bytes[4] };
        for (int i = 0; i < 4; i++)
            answers->loop_limit |= (uint32_t)bytes[5 + i] << (8 * i);
    }
    free(bytes);
    return good;
}

/* Not kept when nothing compiles: that may be mended before the next start. */
static void keep(const clr_cache *cache, const clr_text *key, const probe_answers *answers)
{
    unsigned char bytes[KEPT_BYTES] = { 1, (unsigned char)answers->fp64,
                                        (unsigned char)answers->fp16,
                                        (unsigned char)answers->packed_dot,
                                        (unsigned char)answers->matrix_unit };
    for (int i = 0; i < 4; i++)
        bytes[5 + i] = (unsigned char)(answers->loop_limit >> (8 * i));
    if (answers->compiles)
        clr_cache_write(cache, key->bytes, key->length, bytes, sizeof bytes);
}

static void recall_or_probe(clradio_device *device, const char *device_key, probe_answers *answers)
{
    clr_cache cache;
    clr_text key = { 0 };
    clr_cache_open(&cache);
    make_key(device_key, &key);
    if (key.failed) {
        probe(device, answers);
    } else if (!recall(&cache, &key, answers)) {
        probe(device, answers);
        keep(&cache, &key, answers);
    }
    clr_text_free(&key);
    clr_cache_close(&cache);
}

/* The answers of this kind of device, found out under the lock when they are not known yet: two
 * threads that open one device build once. */
static void look_up(clradio_device *device, const char *key, probe_answers *answers)
{
    pthread_mutex_lock(&table_lock);
    probe_entry *entry = table;
    while (entry && strcmp(entry->key, key))
        entry = entry->next;
    if (!entry) {
        recall_or_probe(device, key, answers);
        entry = malloc(sizeof *entry + strlen(key) + 1);
        if (entry) {
            entry->answers = *answers;
            strcpy(entry->key, key);
            entry->next = table;
            table = entry;
        }
    } else {
        *answers = entry->answers;
    }
    pthread_mutex_unlock(&table_lock);
}

void clr_device_probe(clradio_device *device)
{
    probe_answers answers;
    clradio_device_info *info = &device->info;
    clr_text key = { 0 };
    device->backend->key_lines(device, &key);
    if (key.bytes && !key.failed)
        look_up(device, key.bytes, &answers);
    else
        probe(device, &answers);
    clr_text_free(&key);
    info->fp64 = answers.fp64;
    info->fp16 = answers.fp16;
    info->packed_dot = answers.packed_dot;
    info->matrix_unit = answers.matrix_unit;
    device->loop_limit = answers.loop_limit;
    if (!answers.compiles)
        clr_copy_text(info->unusable, sizeof info->unusable, answers.why);
    clr_log(CLRADIO_LOG_DEBUG, "device",
            "%s: fp64 %d, fp16 %d, packed dot %d, matrix unit %d, loop limit %u", info->id,
            info->fp64, info->fp16, info->packed_dot, info->matrix_unit,
            (unsigned)device->loop_limit);
}
