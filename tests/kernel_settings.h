/*
 * Which settings of the kernels are compiled without a device: by tests/test_dialect for every CUDA
 * architecture, and, those that have a budget, by tests/test_resources.sh. A kernel file is always
 * compiled with its own defaults too. A new kernel or variant: add what it takes by default, and
 * what else of the preprocessor's branches is used.
 */
#ifndef CLR_TESTS_KERNEL_SETTINGS_H
#define CLR_TESTS_KERNEL_SETTINGS_H

typedef enum kernel_use {
    OTHER_BRANCH, /* compiled */
    BUDGET        /* a default: compiled, spills nothing, stays within cl/resources.txt */
} kernel_use;

enum { ONLY_90A = -90 };

typedef struct kernel_setting {
    const char *file;
    const char *macros; /* "NPOL=2 INPUT=7"; "" for the file's defaults */
    kernel_use use;
    int least; /* the first CUDA architecture that has the instructions: 80; 0: any that is, and
                  AMD; ONLY_90A: no other has them (in resources.txt it stands in the column of
                  sm_90) */
} kernel_setting;

/* clang-format off */
#define GPU_INTEGER "Bx=16 By=8 Dx=2 Dy=4 T_STAGE=8 RUN=0 FLOAT=0 STRIDED=1 "
#define GPU_CI16 "Bx=8 By=8 Dx=2 Dy=2 T_STAGE=8 RUN=0 FLOAT=0 STRIDED=1 "
#define GPU_FLOAT "Bx=8 By=8 Dx=4 Dy=4 T_STAGE=16 RUN=128 FLOAT=0 STRIDED=1 "
#define MATRIX "WARPS_Y=2 WARPS_X=2 FRAGMENTS_Y=4 T_STAGE=128 STAGES=2 EMULATED=0 "
#define WARPGROUPS "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=64 STAGES=5 RESIDENT=1 EMULATED=0 "
#define PORTABLE "Bx=4 By=4 Dx=2 Dy=2 T_STAGE=4 RUN=0 FLOAT=0 STRIDED=1 "

#define DFT_KEPT "REAL64=0 DELAY=2 TAPS=24 POINTS=16 KEEP=1 "
#define DFT_FOLD "REAL64=0 DELAY=0 TAPS=24 PAIRS=1 BLOCKS=20 ITEM=0 "

static const kernel_setting kernel_settings[] = {
    { "xengine_tile.cl", GPU_INTEGER "NPOL=2 INPUT=7", BUDGET, 0 },
    { "xengine_tile.cl", GPU_INTEGER "NPOL=2 INPUT=8", BUDGET, 0 },
    { "xengine_tile.cl", GPU_INTEGER "NPOL=1 INPUT=7", BUDGET, 0 },
    { "xengine_tile.cl", GPU_CI16 "NPOL=2 INPUT=6", BUDGET, 0 },
    { "xengine_tile.cl", GPU_FLOAT "NPOL=2 INPUT=1", BUDGET, 0 },
    { "xengine_tile.cl", GPU_FLOAT "NPOL=2 INPUT=3", BUDGET, 0 },
    { "xengine_tile.cl", PORTABLE "NPOL=2 INPUT=7", BUDGET, 0 },
    { "xengine_tile.cl", PORTABLE "NPOL=1 INPUT=6", OTHER_BRANCH, 0 },
    { "xengine_tile.cl", "NPOL=2 INPUT=8 STRIDED=0", OTHER_BRANCH, 0 },
    { "xengine_tile.cl", "NPOL=2 INPUT=7 FLOAT=1", OTHER_BRANCH, 0 },
    { "xengine_tile.cl", "NPOL=2 INPUT=3 TOGETHER=0", OTHER_BRANCH, 0 },
    { "xengine_mma.cl", MATRIX "FRAGMENTS_X=4 NPOL=2 INPUT=7 OUTPUT=4 LAYOUT=2", BUDGET, 80 },
    { "xengine_mma.cl", MATRIX "REGISTERS=168 FRAGMENTS_X=4 NPOL=2 INPUT=7 OUTPUT=4 LAYOUT=2", BUDGET, 80 },
    { "xengine_mma.cl", MATRIX "FRAGMENTS_X=4 NPOL=2 INPUT=7 OUTPUT=4 LAYOUT=0", BUDGET, 80 },
    { "xengine_mma.cl", MATRIX "FRAGMENTS_X=4 NPOL=2 INPUT=8 OUTPUT=5 LAYOUT=2", BUDGET, 80 },
    { "xengine_mma.cl", MATRIX "FRAGMENTS_X=2 NPOL=1 INPUT=8 OUTPUT=1 LAYOUT=0", OTHER_BRANCH, 80 },
    { "xengine_mma.cl", "WARPS_Y=2 WARPS_X=2 T_STAGE=64 STAGES=2 EMULATED=0 RUN=1024 NPOL=2 INPUT=3 OUTPUT=1 LAYOUT=2", BUDGET, 80 },
    { "xengine_mma.cl", "FRAGMENTS_X=2 T_STAGE=32 EMULATED=0 NPOL=1 INPUT=3 OUTPUT=2 LAYOUT=0", OTHER_BRANCH, 80 },
    { "xengine_mma.cl", "WARPS_Y=2 WARPS_X=2 FRAGMENTS_X=2 T_STAGE=32 STAGES=3 EMULATED=0 NPOL=2 INPUT=1 OUTPUT=1 LAYOUT=0", BUDGET, 80 },
    { "xengine_mma.cl", "WARPS_Y=2 WARPS_X=2 FRAGMENTS_X=2 T_STAGE=32 STAGES=3 EMULATED=0 NPOL=2 INPUT=1 OUTPUT=1 LAYOUT=2", OTHER_BRANCH, 80 },
    { "xengine_wgmma.cl", "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=128 STAGES=3 RESIDENT=1 COPIERS=4 SKIP=1 LAST=6 EMULATED=0 NPOL=2 INPUT=7 OUTPUT=4 LAYOUT=2", BUDGET, ONLY_90A },
    { "xengine_wgmma.cl", WARPGROUPS "SKIP=1 NPOL=2 INPUT=7 OUTPUT=4 LAYOUT=2", BUDGET, ONLY_90A },
    { "xengine_wgmma.cl", WARPGROUPS "COPIERS=4 SKIP=1 NPOL=2 INPUT=7 OUTPUT=4 LAYOUT=0", BUDGET, ONLY_90A },
    { "xengine_wgmma.cl", WARPGROUPS "SKIP=1 LAST=6 NPOL=2 INPUT=7 OUTPUT=4 LAYOUT=0", BUDGET, ONLY_90A },
    { "xengine_wgmma.cl", WARPGROUPS "COPIERS=4 SKIP=1 LAST=6 NPOL=2 INPUT=8 OUTPUT=4 LAYOUT=2", BUDGET, ONLY_90A },
    { "xengine_wgmma.cl", WARPGROUPS "SKIP=1 EXTRA=16 LAST=6 SHIFTED=1 NPOL=2 INPUT=7 OUTPUT=4 LAYOUT=0", BUDGET, ONLY_90A },
    { "xengine_wgmma.cl", WARPGROUPS "SKIP=1 EXTRA=16 LAST=6 SHIFTED=1 NPOL=2 INPUT=8 OUTPUT=4 LAYOUT=0", OTHER_BRANCH, ONLY_90A },
    { "xengine_wgmma.cl", WARPGROUPS "SKIP=1 EXTRA=32 SHIFTED=1 NPOL=1 INPUT=8 OUTPUT=4 LAYOUT=0", OTHER_BRANCH, ONLY_90A },
    { "xengine_wgmma.cl", "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=16 STAGES=4 RESIDENT=1 COPIERS=4 RUN=256 SKIP=1 OWN_LOCAL=1 SHIFTED=1 EMULATED=0 NPOL=1 INPUT=3 OUTPUT=1 LAYOUT=0", OTHER_BRANCH, ONLY_90A },
    { "xengine_wgmma.cl", WARPGROUPS "NPOL=2 INPUT=8 OUTPUT=5 LAYOUT=2", BUDGET, ONLY_90A },
    { "xengine_wgmma.cl", WARPGROUPS "SKIP=1 EXTRA=16 NPOL=2 INPUT=7 OUTPUT=4 LAYOUT=2", BUDGET, ONLY_90A },
    { "xengine_wgmma.cl", WARPGROUPS "SKIP=1 EXTRA=16 NPOL=1 INPUT=8 OUTPUT=4 LAYOUT=2", OTHER_BRANCH, ONLY_90A },
    { "xengine_wgmma.cl", WARPGROUPS "COPIERS=4 SKIP=1 EXTRA=16 NPOL=2 INPUT=7 OUTPUT=4 LAYOUT=2", OTHER_BRANCH, ONLY_90A },
    { "xengine_wgmma.cl", WARPGROUPS "COPIERS=4 SKIP=1 EXTRA=32 NPOL=2 INPUT=7 OUTPUT=4 LAYOUT=2", OTHER_BRANCH, ONLY_90A },
    { "xengine_wgmma.cl", WARPGROUPS "COPIERS=4 SKIP=1 NPOL=2 INPUT=8 OUTPUT=4 LAYOUT=0", OTHER_BRANCH, ONLY_90A },
    { "xengine_wgmma.cl", WARPGROUPS "NPOL=1 INPUT=8 OUTPUT=1 LAYOUT=0", OTHER_BRANCH, ONLY_90A },
    { "xengine_wgmma.cl", "WARPGROUPS=2 COLUMNS=64 PRODUCT=64 T_STAGE=64 STAGES=4 RESIDENT=1 RUN=256 SKIP=1 EMULATED=0 NPOL=2 INPUT=3 OUTPUT=1 LAYOUT=2", OTHER_BRANCH, ONLY_90A },
    { "xengine_wgmma.cl", "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=16 STAGES=5 RESIDENT=1 COPIERS=4 RUN=256 SKIP=1 EXTRA=16 OWN_LOCAL=1 EMULATED=0 NPOL=2 INPUT=3 OUTPUT=1 LAYOUT=2", OTHER_BRANCH, ONLY_90A },
    { "xengine_wgmma.cl", "WARPGROUPS=2 COLUMNS=64 PRODUCT=64 T_STAGE=32 STAGES=5 RESIDENT=1 RUN=256 SKIP=1 EMULATED=0 NPOL=2 INPUT=3 OUTPUT=1 LAYOUT=0", OTHER_BRANCH, ONLY_90A },
    { "xengine_wgmma.cl", "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=16 STAGES=6 RESIDENT=1 COPIERS=4 RUN=256 SKIP=1 OWN_LOCAL=1 EMULATED=0 NPOL=2 INPUT=3 OUTPUT=1 LAYOUT=2", BUDGET, ONLY_90A },
    { "xengine_wgmma.cl", "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=16 STAGES=4 RESIDENT=1 COPIERS=4 RUN=256 SKIP=1 OWN_LOCAL=1 EMULATED=0 NPOL=2 INPUT=3 OUTPUT=1 LAYOUT=0", OTHER_BRANCH, ONLY_90A },
    { "xengine_wgmma.cl", "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=32 STAGES=8 RESIDENT=1 COPIERS=4 RUN=256 SKIP=1 GRAM=1 EMULATED=0 NPOL=2 INPUT=3 OUTPUT=1 LAYOUT=0", BUDGET, ONLY_90A },
    { "xengine_wgmma.cl", "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 T_STAGE=32 STAGES=8 RESIDENT=1 COPIERS=4 RUN=256 SKIP=1 GRAM=1 SHIFTED=1 EMULATED=0 NPOL=1 INPUT=3 OUTPUT=2 LAYOUT=0", OTHER_BRANCH, ONLY_90A },
    { "xengine_wgmma.cl", "WARPGROUPS=2 COLUMNS=64 PRODUCT=64 T_STAGE=32 STAGES=3 RESIDENT=1 SKIP=1 EMULATED=0 NPOL=2 INPUT=1 OUTPUT=1 LAYOUT=2", BUDGET, ONLY_90A },
    { "xengine_wgmma.cl", "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=24 STAGES=3 RESIDENT=2 EMULATED=0 NPOL=2 INPUT=1 OUTPUT=1 LAYOUT=0", BUDGET, ONLY_90A },
    { "xengine_wgmma.cl", "WARPGROUPS=2 COLUMNS=64 PRODUCT=64 T_STAGE=32 STAGES=3 SKIP=1 EMULATED=0 NPOL=1 INPUT=1 OUTPUT=2 LAYOUT=0", OTHER_BRANCH, ONLY_90A },
    { "xengine_wgmma.cl", "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 T_STAGE=128 STAGES=3 RESIDENT=2 COPIERS=2 EMULATED=0 NPOL=2 INPUT=7 OUTPUT=4 LAYOUT=2", BUDGET, ONLY_90A },
    { "xengine_wgmma.cl", "WARPGROUPS=1 COLUMNS=64 PRODUCT=64 STAGES=3 RESIDENT=3 EMULATED=0 NPOL=2 INPUT=7 LAYOUT=2", OTHER_BRANCH, ONLY_90A },
    { "xengine_wgmma.cl", "WARPGROUPS=2 COLUMNS=64 PRODUCT=64 RESIDENT=2 EMULATED=0 NPOL=2 INPUT=7 LAYOUT=2", OTHER_BRANCH, ONLY_90A },
    { "bench_peak.cl", "KIND=3 CHAINS=64", OTHER_BRANCH, 61 },
    { "xengine_fma.cl", "NPOL=2 INPUT=1", BUDGET, 0 },
    { "xengine_fma.cl", "NPOL=2 INPUT=1 ASYNC=1", BUDGET, 80 },
    { "xengine_fma.cl", "NPOL=2 INPUT=1 ASYNC=2 LANES=1 KEPT=8 T_STAGE=16 PRODUCTS=3 ORDER=4 WHOLE_STAGES=1 UNROLLED=8", BUDGET, 80 },
    { "xengine_fma.cl", "NPOL=1 INPUT=3 PRODUCTS=3 ORDER=2 RUN=64 RUNS=0 BLOCK_TIMES=16 DIRECT=1 OUTPUT=2", OTHER_BRANCH, 0 },
    { "xengine_fma.cl", "NPOL=2 INPUT=3", OTHER_BRANCH, 0 },
    { "xengine_fma.cl", "NPOL=1 INPUT=1 ASYNC=1 T_STAGE=4 BUFFERS=3", OTHER_BRANCH, 80 },
    { "xengine_dot4.cl", "NPOL=2 INPUT=7 HAVE_PACKED_DOT=1", BUDGET, 75 },
    { "xengine_dot4.cl", "NPOL=2 INPUT=8 HAVE_PACKED_DOT=1", BUDGET, 75 },
    { "xengine_fma.cl", "NPOL=2 INPUT=1 ASYNC=1 BLOCK_TIMES=0 DIRECT=1 OUTPUT=1 RUNS=0", OTHER_BRANCH, 80 },
    { "xengine_fma.cl", "NPOL=2 INPUT=3 BLOCK_TIMES=16 DIRECT=1 OUTPUT=2", OTHER_BRANCH, 0 },
    { "xengine_dot4.cl", "NPOL=2 INPUT=7 BLOCK_TIMES=0 DIRECT=1 OUTPUT=4", OTHER_BRANCH, 0 },
    { "xengine_dot4.cl", "NPOL=1 INPUT=8 BLOCK_TIMES=64 DIRECT=1 OUTPUT=5", OTHER_BRANCH, 0 },
    { "xengine_mfma.cl", "NPOL=1 INPUT=7 WAVE=32 FX=1 FY=1", OTHER_BRANCH, 0 },
    { "xengine_mfma.cl", "NPOL=2 INPUT=8", OTHER_BRANCH, 0 },
    { "xengine_panel.cl", "NPOL=1 INPUT=1 TOGETHER=0", OTHER_BRANCH, 0 },
    { "xengine_panel.cl", "NPOL=2 INPUT=3", OTHER_BRANCH, 0 },
    { "xengine_panel.cl", "NPOL=2 INPUT=8", OTHER_BRANCH, 0 },
    { "xengine_layout.cl", "SAMPLE_BYTES=1", OTHER_BRANCH, 0 },
    { "xengine_layout.cl", "SAMPLE_BYTES=2 FORM=0", BUDGET, 0 },
    { "xengine_layout.cl", "SAMPLE_BYTES=4 FORM=0", BUDGET, 0 },
    { "xengine_layout.cl", "SAMPLE_BYTES=1 FORM=0", BUDGET, 0 },
    { "xengine_layout.cl", "SAMPLE_BYTES=2 FORM=1", BUDGET, 0 },
    { "xengine_layout.cl", "SAMPLE_BYTES=1 FORM=1", OTHER_BRANCH, 0 },
    { "xengine_layout.cl", "SAMPLE_BYTES=4 FORM=1", OTHER_BRANCH, 0 },
    { "xengine_layout.cl", "SAMPLE_BYTES=2 FORM=2", BUDGET, 0 },
    { "xengine_layout.cl", "SAMPLE_BYTES=1 FORM=2", OTHER_BRANCH, 0 },
    { "xengine_layout.cl", "SAMPLE_BYTES=4 FORM=2", OTHER_BRANCH, 0 },
    { "xengine_layout.cl", "SAMPLE_BYTES=4", OTHER_BRANCH, 0 },
    { "xengine_layout.cl", "SAMPLE_BYTES=8", OTHER_BRANCH, 0 },
    { "xengine_finish.cl", "NPOL=2 INPUT=7 OUTPUT=4", BUDGET, 0 },
    { "xengine_finish.cl", "NPOL=2 INPUT=1 OUTPUT=1", BUDGET, 0 },
    { "xengine_finish.cl", "NPOL=1 INPUT=1 OUTPUT=1", OTHER_BRANCH, 0 },
    { "xengine_finish.cl", "NPOL=2 INPUT=1 OUTPUT=2", OTHER_BRANCH, 0 },
    { "xengine_finish.cl", "NPOL=1 INPUT=8 OUTPUT=4", OTHER_BRANCH, 0 },
    { "xengine_finish.cl", "NPOL=2 INPUT=7 OUTPUT=2", OTHER_BRANCH, 0 },
    { "xengine_finish.cl", "NPOL=2 INPUT=6 OUTPUT=1", OTHER_BRANCH, 0 },
    { "fengine_pfb.cl", "INPUT_BITS=8 INPUT_COMPLEX=1", BUDGET, 0 },
    { "fengine_pfb.cl", "INPUT_BITS=8 INPUT_COMPLEX=0", BUDGET, 0 },
    { "fengine_pfb.cl", "INPUT_BITS=16 INPUT_COMPLEX=1", OTHER_BRANCH, 0 },
    { "fengine_pfb.cl", "INPUT_BITS=32 INPUT_COMPLEX=0", OTHER_BRANCH, 0 },
    { "fengine_order.cl", "INPUT_COMPLEX=1", BUDGET, 0 },
    { "fengine_order.cl", "INPUT_COMPLEX=0", BUDGET, 0 },
    { "dft_direct.cl", "REAL64=0 DELAY=0 PATHS=8 LISTED=0", BUDGET, 0 },
    { "dft_direct.cl", "REAL64=0 DELAY=0 PATHS=1 LISTED=0", BUDGET, 0 },
    { "dft_direct.cl", "REAL64=1 DELAY=1 PATHS=8 LISTED=1", OTHER_BRANCH, 0 },
    { "dft_direct.cl", "REAL64=0 DELAY=2 PATHS=8 LISTED=1", OTHER_BRANCH, 0 },
    { "dft_children.cl", "CHILDREN=1 INNER=2 " DFT_FOLD "HALF=32 TEAMS=4 UNITS=16", BUDGET, 75 },
    { "dft_children.cl", "CHILDREN=1 INNER=1 REAL64=1 DELAY=1 PATHS=8 LISTED=1 WALKERS=64", OTHER_BRANCH, 61 },
    { "dft_children.cl", "CHILDREN=1 INNER=3 DELAY=2 TAPS=24 LANES=64 ROWS=4 STAGED=0", OTHER_BRANCH, 61 },
    { "dft_children.cl", "CHILDREN=1 INNER=1 PATHS=8 TAIL=0 FORGET=0", OTHER_BRANCH, 0 },
    { "dft_children.cl", "CHILDREN=1 INNER=4 TAPS=24 HALF=32 WARPS=2 BLOCKS=10 PATHS=8 KEEP=0 CIRCLE=1 PLAIN=0", OTHER_BRANCH, 80 },
    { "dft_children.cl", "CHILDREN=1 INNER=5 TAPS=24 HALF=8 BLOCKS=128 PATHS=8 PLAIN=0 RESIDENT=24 REMAINDER=1 TAIL=1", OTHER_BRANCH, 90 },
    { "dft_children.cl", "CHILDREN=1 INNER=4 TAPS=24 HALF=8 WARPS=1 BLOCKS=4 PATHS=8 KEEP=0 CIRCLE=2 PLAIN=0 RESIDENT=28 REMAINDER=1 TAIL=1", OTHER_BRANCH, 80 },
    { "dft_children.cl", "EMULATED=1 TAIL=0", OTHER_BRANCH, 0 },
    { "dft_children.cl", "EMULATED=1 TAIL=2", OTHER_BRANCH, 0 },
    { "dft_fold.cl", DFT_FOLD "HALF=30 TEAMS=2 UNITS=10", BUDGET, 0 },
    { "dft_fold.cl", DFT_FOLD "HALF=30 TEAMS=1 UNITS=14 PATHS=1", BUDGET, 0 },
    { "dft_fold.cl", "REAL64=0 DELAY=0 TAPS=24 BLOCKS=8 ITEM=0 HALF=8 TEAMS=4 UNITS=8 PATHS=8 KEEP=0", BUDGET, 0 },
    { "dft_fold.cl", "REAL64=1 DELAY=1 TAPS=16 HALF=32 TEAMS=4 UNITS=16 ITEM=0", OTHER_BRANCH, 0 },
    { "dft_fold.cl", DFT_FOLD "HALF=30 TEAMS=1 UNITS=14 PATHS=1 ROTATE=1 KEEP=0", OTHER_BRANCH, 0 },
    { "dft_fold.cl", "REAL64=0 DELAY=2 TAPS=24 HALF=64 PAIRS=2 TEAMS=4 ITEM=0", OTHER_BRANCH, 0 },
    { "dft_fold.cl", "REAL64=0 DELAY=0 TAPS=24 HALF=32 ITEM=1", OTHER_BRANCH, 0 },
    { "dft_fold.cl", DFT_FOLD "HALF=16 TEAMS=2 UNITS=14 PATHS=1 CIRCLE=1", OTHER_BRANCH, 0 },
    { "dft_pruned.cl", "REAL64=0 DELAY=2 TAPS=24 LANES=64 ROWS=4 STAGED=0", BUDGET, 0 },
    { "dft_pruned.cl", "REAL64=0 DELAY=2 TAPS=24 LANES=4 ROWS=32 STAGED=1", BUDGET, 0 },
    { "dft_pruned.cl", "REAL64=0 DELAY=1 TAPS=24 POINTS=16 LANES=64 ROWS=4 STAGED=0", BUDGET, 0 },
    { "dft_pruned.cl", "REAL64=1 DELAY=2 TAPS=24 POINTS=8 LANES=64 ROWS=2 STAGED=0", BUDGET, 0 },
    { "dft_pruned.cl", "REAL64=1 DELAY=1 TAPS=24 POINTS=16 LANES=4 ROWS=16 STAGED=1", OTHER_BRANCH, 0 },
    { "dft_pruned.cl", "REAL64=0 DELAY=2 TAPS=24 POINTS=12 LANES=50 ROWS=5 STAGED=0", BUDGET, 0 },
    { "dft_pruned.cl", DFT_KEPT "LANES=64 ROWS=4 RESIDENT=3 FIXED=1 COLUMNS=64 VALUES=600 TRANSPOSED=0", BUDGET, 0 },
    { "dft_pruned.cl", DFT_KEPT "LANES=4 ROWS=32 STAGED=1 FIXED=1 COLUMNS=4 VALUES=50 TRANSPOSED=0", OTHER_BRANCH, 0 },
    { "dft_pruned.cl", "REAL64=0 DELAY=1 TAPS=16 POINTS=10 LANES=60 ROWS=4 STAGED=0", OTHER_BRANCH, 0 },
    { "dft_bf16.cl", "REAL64=0 DELAY=0 TAPS=24 HALF=32 WARPS=2 BLOCKS=10 PATHS=8 KEEP=0 CIRCLE=1 PLAIN=0 RESIDENT=12", BUDGET, 80 },
    { "dft_bf16.cl", "REAL64=0 DELAY=0 TAPS=24 HALF=8 WARPS=1 BLOCKS=4 PATHS=8 KEEP=0 CIRCLE=2 PLAIN=0 RESIDENT=28 REMAINDER=1", BUDGET, 80 },
    { "dft_bf16.cl", "REAL64=0 DELAY=0 TAPS=24 HALF=16 WARPS=1 BLOCKS=64 PATHS=1 KEEP=0 CIRCLE=2 PLAIN=0 RESIDENT=0 OWN_MIDDLES=1", BUDGET, 80 },
    { "dft_bf16.cl", "REAL64=0 DELAY=0 TAPS=24 HALF=8 WARPS=1 BLOCKS=8 PATHS=8 KEEP=0 CIRCLE=1 PLAIN=0", OTHER_BRANCH, 80 },
    { "dft_bf16.cl", "REAL64=0 DELAY=0 TAPS=24 HALF=32 WARPS=2 BLOCKS=20 PATHS=8 KEEP=1 CIRCLE=1 PLAIN=0", OTHER_BRANCH, 80 },
    { "dft_bf16.cl", "REAL64=0 DELAY=2 TAPS=32 HALF=16 WARPS=4 BLOCKS=20 PLAIN=1", OTHER_BRANCH, 0 },
    { "dft_dmma.cl", "REAL64=0 DELAY=0 TAPS=24 HALF=8 BLOCKS=128 PATHS=8 PLAIN=0 KEEP=1 RESIDENT=24 REMAINDER=1", OTHER_BRANCH, 90 },
    { "dft_dmma.cl", "REAL64=0 DELAY=0 TAPS=24 HALF=16 BLOCKS=128 PATHS=8 PLAIN=0 RESIDENT=20 REMAINDER=1", BUDGET, 90 },
    { "dft_dmma.cl", "REAL64=0 DELAY=0 TAPS=24 HALF=8 BLOCKS=128 PATHS=1 PLAIN=0 KEEP=1 RESIDENT=0", BUDGET, 90 },
    { "dft_dmma.cl", "REAL64=0 DELAY=2 TAPS=32 HALF=16 BLOCKS=4 PATHS=13 PLAIN=1 REMAINDER=1", OTHER_BRANCH, 0 },
    { "dft_library.cl", "REAL64=0 DELAY=0 LISTED=1", OTHER_BRANCH, 0 },
    { "sinr.cl", "REAL64=1 RECEIVE=4 STREAMS=2 MRC=1", OTHER_BRANCH, 0 },
    { "detector_prepare.cl", "SHARED=1 WHITEN=1 POINTS=0 LEVELS=5", OTHER_BRANCH, 0 },
    { "detector_prepare.cl", "FULL=1 ORDERING=1 RADIUS=1 UNROLLED=0", OTHER_BRANCH, 0 },
    { "detector_prepare.cl", "DESCENT=2 PAIRS=1", BUDGET, 0 },
    { "detector_prepare.cl", "TX=8 RX=8 LEVELS=16 COLUMNS=1 PAIRS=1", BUDGET, 0 },
    { "detector_prepare.cl", "COLUMNS=1 WHITEN=1 ORDERING=1 POINTS=0 LEVELS=7 RX=3", OTHER_BRANCH, 0 },
    { "detector_prepare.cl", "DESCENT=1 SHARED=1 POINTS=0 LEVELS=5", OTHER_BRANCH, 0 },
    { "detector_lane.cl", "LISTED=1 FLAT=1", BUDGET, 0 },
    { "detector_lane.cl", "LISTED=1 FLAT=1 HALVES=1", OTHER_BRANCH, 0 },
    { "detector_lane.cl", "STACK=0 QUEUE=0 RADIUS=2 POINTS=0 LEVELS=5", OTHER_BRANCH, 0 },
    { "detector_lane.cl", "FLAT=1 HALVES=1", OTHER_BRANCH, 0 },
    { "detector_lane.cl", "FLAT=1 HALVES=2 STACK=2 LEVELS=16", OTHER_BRANCH, 0 },
    { "detector_lane.cl", "FLAT=0 HALVES=2 STACK=3", OTHER_BRANCH, 0 },
    { "detector_group.cl", "LIST=1 DOUBLE=1 WHITEN=1 CTA_SIZE=32 TREES_PER_CTA=1", OTHER_BRANCH, 0 },
    { "detector_group.cl", "LIST=1 CTA_SIZE=1 TREES_PER_CTA=1 RADIUS=2", OTHER_BRANCH, 0 },
    { "detector_group.cl", "LIST=1 COMPENSATED=1 CTA_SIZE=32 TREES_PER_CTA=1", OTHER_BRANCH, 0 },
    { "detector_group.cl", "LIST=1 COMPENSATED=1 CTA_SIZE=1 TREES_PER_CTA=1 POINTS=0 LEVELS=7", OTHER_BRANCH, 0 },
    { "detector_children.cl", "CHILDREN=1 LIST=1 DOUBLE=1 CTA_SIZE=32 TREES_PER_CTA=1", BUDGET, 61 },
    { "detector_children.cl", "CHILDREN=1 LIST=1 CTA_SIZE=32 TREES_PER_CTA=1 WHITEN=1 TAIL=0 FORGET=0", OTHER_BRANCH, 0 },
    { "detector_children.cl", "EMULATED=1 LIST=1 TAIL=0 CTA_SIZE=1 TREES_PER_CTA=1", OTHER_BRANCH, 0 },
    { "detector_children.cl", "EMULATED=1 LIST=1 TAIL=2 CTA_SIZE=1 TREES_PER_CTA=1", OTHER_BRANCH, 0 },
    { "detector_linear.cl", "MMSE=0 LLR_BYTE=1 SYMBOL_BYTES=2 PAIRS=1", OTHER_BRANCH, 0 },
    { "detector_kbest.cl", "FRONTS=0", BUDGET, 0 },
    { "detector_kbest.cl", "FRONTS=1", BUDGET, 0 },
    { "detector_kbest.cl", "FRONTS=1 K=7 POINTS=0 LEVELS=7", OTHER_BRANCH, 0 },
    { "detector_kbest.cl", "OWN=5 BITS=12", OTHER_BRANCH, 0 },
    { "detector_fsd.cl", "FULL=2 SOFT=1", OTHER_BRANCH, 0 },
    { "detector_ml.cl", "SOFT=1", OTHER_BRANCH, 0 },
    { "detector_ml.cl", "OWN=5 BITS=12 SOFT=1", OTHER_BRANCH, 0 },
    { "montecarlo_generate.cl", "SYMBOL_BYTES=2 TAPS=1", OTHER_BRANCH, 0 },
    { "montecarlo_count.cl", "SYMBOL_BYTES=2", OTHER_BRANCH, 0 },
};
/* clang-format on */
enum { KERNEL_SETTINGS = sizeof kernel_settings / sizeof *kernel_settings };

#endif
