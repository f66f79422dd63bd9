# engine
library_sources += \
	src/engine/choice.c src/engine/choice.h \
	src/engine/correlator.c src/engine/correlator_internal.h \
	src/engine/correlator_enqueue.c \
	src/engine/correlator_memory.c \
	src/engine/fengine.c src/engine/fengine.h \
	src/engine/fengine_clfft_opencl.c \
	src/engine/fengine_cufft_cuda.c \
	src/engine/fengine_fft.c src/engine/fengine_fft.h \
	src/engine/fengine_config.c \
	src/engine/fengine_enqueue.c \
	src/engine/fengine_pieces.c \
	src/engine/fengine_reference.c src/engine/fengine_reference.h \
	src/engine/fengine_self_test.c \
	src/engine/fengine_vkfft_opencl.c \
	src/engine/fengine_window.c

check_PROGRAMS += tests/test_fengine
tests_test_fengine_SOURCES = tests/test_fengine.c tests/fengine_support.c tests/fengine_support.h
tests_test_fengine_LDADD = $(AM_TESTS_LIBS)

# X-engine
library_sources += \
	src/engine/parameters.c src/engine/parameters.h \
	src/engine/children.c src/engine/children.h \
	src/engine/xengine.c src/engine/xengine_internal.h \
	src/engine/xengine_arguments.c \
	src/engine/xengine_bf16.c \
	src/engine/clblast_opencl.c src/engine/clblast_opencl.h \
	src/engine/cublas_cuda.c src/engine/cublas_cuda.h \
	src/engine/xengine_blas.c src/engine/xengine_blas.h \
	src/engine/xengine_blas_cuda.c \
	src/engine/xengine_blas_opencl.c \
	src/engine/xengine_block.c src/engine/xengine_block.h \
	src/engine/xengine_check.c \
	src/engine/xengine_choice.c \
	src/engine/xengine_config.c \
	src/engine/xengine_count.c \
	src/engine/xengine_dot4.c \
	src/engine/xengine_enqueue.c \
	src/engine/xengine_layout.c src/engine/xengine_layout.h \
	src/engine/xengine_fma.c \
	src/engine/xengine_memory.c \
	src/engine/xengine_mma.c src/engine/xengine_mma.h src/engine/xengine_mma_launch.c \
	src/engine/xengine_mfma.c \
	src/engine/xengine_panel.c \
	src/engine/xengine_reference.c src/engine/xengine_reference.h \
	src/engine/xengine_reorder.c \
	src/engine/xengine_run.c \
	src/engine/xengine_self_test.c \
	src/engine/xengine_tile.c \
	src/engine/xengine_valid.c src/engine/xengine_valid.h \
	src/engine/xengine_variants.c \
	src/engine/xengine_wgmma.c src/engine/xengine_wgmma.h src/engine/xengine_wgmma_shape.c

# Tests. What they share is compiled into each.
xengine_support = tests/xengine_support.c tests/xengine_support.h
xengine_programs = tests/test_xengine tests/test_xengine_blas tests/test_xengine_blocks tests/test_xengine_direct tests/test_xengine_huge tests/test_xengine_layout tests/test_xengine_mma \
	tests/test_xengine_parameters \
	tests/test_xengine_plan tests/test_xengine_sizes tests/test_xengine_valid \
	tests/test_xengine_edges tests/test_xengine_random tests/test_xengine_wgmma \
	tests/test_xengine_bf16 tests/test_xengine_products tests/test_xengine_shifted tests/test_xengine_wgmma_choice
check_PROGRAMS += $(xengine_programs)
tests_test_xengine_SOURCES = tests/test_xengine.c $(xengine_support)
tests_test_xengine_LDADD = $(AM_TESTS_LIBS)
tests_test_xengine_mma_SOURCES = tests/test_xengine_mma.c $(xengine_support)
tests_test_xengine_mma_LDADD = $(AM_TESTS_LIBS)
tests_test_xengine_wgmma_SOURCES = tests/test_xengine_wgmma.c $(xengine_support)
tests_test_xengine_wgmma_LDADD = $(AM_TESTS_LIBS)
tests_test_xengine_shifted_SOURCES = tests/test_xengine_shifted.c tests/xengine_runs.c tests/xengine_runs.h $(xengine_support)
tests_test_xengine_shifted_LDADD = $(AM_TESTS_LIBS)
tests_test_xengine_wgmma_choice_SOURCES = tests/test_xengine_wgmma_choice.c $(xengine_support)
tests_test_xengine_wgmma_choice_LDADD = $(AM_TESTS_LIBS)
tests_test_xengine_bf16_SOURCES = tests/test_xengine_bf16.c tests/xengine_runs.c tests/xengine_runs.h $(xengine_support)
tests_test_xengine_bf16_LDADD = $(AM_TESTS_LIBS)
tests_test_xengine_blas_SOURCES = tests/test_xengine_blas.c $(xengine_support)
tests_test_xengine_blas_LDADD = $(AM_TESTS_LIBS)
tests_test_xengine_blocks_SOURCES = tests/test_xengine_blocks.c $(xengine_support)
tests_test_xengine_blocks_LDADD = $(AM_TESTS_LIBS)
tests_test_xengine_direct_SOURCES = tests/test_xengine_direct.c $(xengine_support)
tests_test_xengine_direct_LDADD = $(AM_TESTS_LIBS)
tests_test_xengine_products_SOURCES = tests/test_xengine_products.c $(xengine_support)
tests_test_xengine_products_LDADD = $(AM_TESTS_LIBS)
check_PROGRAMS += tests/test_amd_fragments
tests_test_amd_fragments_SOURCES = tests/test_amd_fragments.c
tests_test_amd_fragments_LDADD = $(AM_TESTS_LIBS)
tests_test_xengine_huge_SOURCES = tests/test_xengine_huge.c $(xengine_support)
tests_test_xengine_huge_LDADD = $(AM_TESTS_LIBS)
tests_test_xengine_layout_SOURCES = tests/test_xengine_layout.c $(xengine_support)
tests_test_xengine_layout_LDADD = $(AM_TESTS_LIBS)
tests_test_xengine_parameters_SOURCES = tests/test_xengine_parameters.c $(xengine_support)
tests_test_xengine_parameters_LDADD = $(AM_TESTS_LIBS)
tests_test_xengine_plan_SOURCES = tests/test_xengine_plan.c $(xengine_support)
tests_test_xengine_plan_LDADD = $(AM_TESTS_LIBS)
tests_test_xengine_sizes_SOURCES = tests/test_xengine_sizes.c $(xengine_support)
tests_test_xengine_sizes_LDADD = $(AM_TESTS_LIBS)
tests_test_xengine_valid_SOURCES = tests/test_xengine_valid.c tests/xengine_runs.c tests/xengine_runs.h $(xengine_support)
tests_test_xengine_valid_LDADD = $(AM_TESTS_LIBS)
tests_test_xengine_edges_SOURCES = tests/test_xengine_edges.c $(xengine_support)
tests_test_xengine_edges_LDADD = $(AM_TESTS_LIBS)
tests_test_xengine_random_SOURCES = tests/test_xengine_random.c tests/xengine_runs.c tests/xengine_runs.h $(xengine_support)
tests_test_xengine_random_LDADD = $(AM_TESTS_LIBS)
oclgrind_programs += tests/test_xengine_valid
oclgrind_programs += tests/test_xengine tests/test_xengine_layout tests/test_xengine_plan tests/test_xengine_sizes
oclgrind_programs += tests/test_fengine_kernels tests/test_correlator tests/test_correlator_exact

check_PROGRAMS += tests/test_loop_limit
tests_test_loop_limit_SOURCES = tests/test_loop_limit.c $(xengine_support)
tests_test_loop_limit_LDADD = $(AM_TESTS_LIBS)

check_PROGRAMS += tests/test_fengine_tones
tests_test_fengine_tones_SOURCES = tests/test_fengine_tones.c tests/fengine_support.c tests/fengine_support.h
tests_test_fengine_tones_LDADD = $(AM_TESTS_LIBS)

check_PROGRAMS += tests/test_fengine_sky
tests_test_fengine_sky_SOURCES = tests/test_fengine_sky.c tests/fengine_support.c tests/fengine_support.h
tests_test_fengine_sky_LDADD = $(AM_TESTS_LIBS)

correlator_support = tests/correlator_support.c tests/correlator_support.h tests/fengine_support.c tests/fengine_support.h
check_PROGRAMS += tests/test_correlator
tests_test_correlator_SOURCES = tests/test_correlator.c $(correlator_support)
tests_test_correlator_LDADD = $(AM_TESTS_LIBS)
check_PROGRAMS += tests/test_correlator_exact
tests_test_correlator_exact_SOURCES = tests/test_correlator_exact.c $(correlator_support)
tests_test_correlator_exact_LDADD = $(AM_TESTS_LIBS)

check_PROGRAMS += tests/test_fengine_limits
tests_test_fengine_limits_SOURCES = tests/test_fengine_limits.c tests/fengine_support.c tests/fengine_support.h
tests_test_fengine_limits_LDADD = $(AM_TESTS_LIBS)

check_PROGRAMS += tests/test_fengine_kernels
tests_test_fengine_kernels_SOURCES = tests/test_fengine_kernels.c tests/fengine_support.c tests/fengine_support.h
tests_test_fengine_kernels_LDADD = $(AM_TESTS_LIBS)

EXTRA_PROGRAMS += bench/fengine_rate
bench_fengine_rate_LDADD = libcore.la

check_PROGRAMS += tests/test_correlator_limits
tests_test_correlator_limits_SOURCES = tests/test_correlator_limits.c tests/fengine_support.c tests/fengine_support.h
tests_test_correlator_limits_LDADD = $(AM_TESTS_LIBS)

check_PROGRAMS += tests/test_fengine_reference
tests_test_fengine_reference_SOURCES = tests/test_fengine_reference.c tests/fengine_support.c tests/fengine_support.h
tests_test_fengine_reference_LDADD = $(AM_TESTS_LIBS)

# Detector
library_sources += \
	src/engine/detector.c src/engine/detector_internal.h \
	src/engine/detector_again.c \
	src/engine/detector_check.c \
	src/engine/detector_choice.c \
	src/engine/detector_config.c \
	src/engine/detector_enqueue.c \
	src/engine/detector_launch.c src/engine/detector_launch.h \
	src/engine/detector_memory.c \
	src/engine/detector_prepare.c \
	src/engine/detector_programs.c \
	src/engine/detector_run.c \
	src/engine/detector_self_test.c \
	src/engine/detector_reference.c src/engine/detector_reference.h \
	src/engine/detector_reference_methods.c \
	src/engine/detector_reference_run.c \
	src/engine/detector_reference_search.c \
	src/engine/detector_statistics.c \
	src/engine/modulation.c src/engine/modulation.h

# Signal to interference and noise
library_sources += \
	src/engine/sinr.c src/engine/sinr_internal.h \
	src/engine/sinr_reference.c \
	src/engine/sinr_run.c

check_PROGRAMS += tests/test_sinr
tests_test_sinr_LDADD = $(AM_TESTS_LIBS)
oclgrind_programs += tests/test_sinr

# Channel DFT
EXTRA_DIST += doc/dft.md
library_sources += \
	src/engine/dft_batch.c src/engine/dft_batch.h \
	src/engine/dft_bf16.c \
	src/engine/dft_blas.c \
	src/engine/dft_blas_cuda.c \
	src/engine/dft_blas_opencl.c \
	src/engine/dft_check.c src/engine/dft_check.h \
	src/engine/dft_choice.c \
	src/engine/dft_config.c src/engine/dft_internal.h \
	src/engine/dft_direct.c \
	src/engine/dft_dmma.c \
	src/engine/dft_enqueue.c \
	src/engine/dft_fft.c \
	src/engine/dft_fold.c \
	src/engine/dft_launch.c \
	src/engine/dft_layout.c \
	src/engine/dft_library.c src/engine/dft_library.h \
	src/engine/dft_plan.c src/engine/dft_plan.h \
	src/engine/dft_pruned.c \
	src/engine/dft_reference.c \
	src/engine/dft_run.c \
	src/engine/dft_self_test.c \
	src/engine/dft_sizes.c \
	src/engine/dft_stream.c src/engine/dft_stream.h

dft_support = tests/dft_support.c tests/dft_support.h
check_PROGRAMS += tests/test_dft
tests_test_dft_SOURCES = tests/test_dft.c $(dft_support)
tests_test_dft_LDADD = $(AM_TESTS_LIBS)
check_PROGRAMS += tests/test_dft_units
tests_test_dft_units_SOURCES = tests/test_dft_units.c $(dft_support)
tests_test_dft_units_LDADD = $(AM_TESTS_LIBS)
check_PROGRAMS += tests/test_dft_bound
tests_test_dft_bound_SOURCES = tests/test_dft_bound.c $(dft_support)
tests_test_dft_bound_LDADD = $(AM_TESTS_LIBS)
check_PROGRAMS += tests/test_dft_children
tests_test_dft_children_SOURCES = tests/test_dft_children.c $(dft_support)
tests_test_dft_children_LDADD = $(AM_TESTS_LIBS)
check_PROGRAMS += tests/test_dft_library
tests_test_dft_library_SOURCES = tests/test_dft_library.c $(dft_support)
tests_test_dft_library_LDADD = $(AM_TESTS_LIBS)
check_PROGRAMS += tests/test_dft_tdl
tests_test_dft_tdl_SOURCES = tests/test_dft_tdl.c $(dft_support)
tests_test_dft_tdl_LDADD = $(AM_TESTS_LIBS)
check_PROGRAMS += tests/test_dft_run
tests_test_dft_run_SOURCES = tests/test_dft_run.c $(dft_support)
tests_test_dft_run_LDADD = $(AM_TESTS_LIBS)
oclgrind_programs += tests/test_dft tests/test_dft_children tests/test_dft_run
check_PROGRAMS += tests/test_dft_reference
tests_test_dft_reference_LDADD = $(AM_TESTS_LIBS)

# Monte-Carlo
EXTRA_DIST += doc/montecarlo.md
library_sources += \
	src/engine/montecarlo.c src/engine/montecarlo_internal.h \
	src/engine/montecarlo_config.c \
	src/engine/montecarlo_correlation.c \
	src/engine/montecarlo_enqueue.c \
	src/engine/montecarlo_finish.c \
	src/engine/montecarlo_random.h \
	src/engine/montecarlo_rate.c \
	src/engine/montecarlo_reference.c \
	src/engine/montecarlo_run.c \
	src/engine/montecarlo_self_test.c

check_PROGRAMS += tests/test_montecarlo_random tests/test_montecarlo_rate tests/test_montecarlo
tests_test_montecarlo_rate_LDADD = $(AM_TESTS_LIBS)
tests_test_montecarlo_random_LDADD = $(AM_TESTS_LIBS)
tests_test_montecarlo_SOURCES = tests/test_montecarlo.c tests/montecarlo_support.c tests/montecarlo_support.h
tests_test_montecarlo_LDADD = $(AM_TESTS_LIBS)
check_PROGRAMS += tests/test_montecarlo_count tests/test_montecarlo_curves
tests_test_montecarlo_count_SOURCES = tests/test_montecarlo_count.c tests/montecarlo_support.c tests/montecarlo_support.h
tests_test_montecarlo_count_LDADD = $(AM_TESTS_LIBS)
tests_test_montecarlo_curves_SOURCES = tests/test_montecarlo_curves.c tests/montecarlo_support.c tests/montecarlo_support.h
tests_test_montecarlo_curves_LDADD = $(AM_TESTS_LIBS)
check_PROGRAMS += tests/test_montecarlo_limits tests/test_montecarlo_run
tests_test_montecarlo_run_SOURCES = tests/test_montecarlo_run.c tests/montecarlo_support.c tests/montecarlo_support.h
tests_test_montecarlo_run_LDADD = $(AM_TESTS_LIBS)
tests_test_montecarlo_limits_SOURCES = tests/test_montecarlo_limits.c tests/montecarlo_support.c tests/montecarlo_support.h
tests_test_montecarlo_limits_LDADD = $(AM_TESTS_LIBS)
oclgrind_programs += tests/test_montecarlo tests/test_montecarlo_count
detector_support = tests/detector_support.c tests/detector_exhaustion.c tests/detector_support.h
check_PROGRAMS += tests/test_detector tests/test_detector_children tests/test_detector_compensated tests/test_detector_forms tests/test_detector_hostile tests/test_detector_methods \
	tests/test_detector_parameters tests/test_detector_races tests/test_detector_reference tests/test_modulation
tests_test_detector_children_SOURCES = tests/test_detector_children.c $(detector_support)
tests_test_detector_children_LDADD = $(AM_TESTS_LIBS)
tests_test_detector_compensated_SOURCES = tests/test_detector_compensated.c $(detector_support)
tests_test_detector_compensated_LDADD = $(AM_TESTS_LIBS)
tests_test_detector_forms_SOURCES = tests/test_detector_forms.c $(detector_support)
tests_test_detector_forms_LDADD = $(AM_TESTS_LIBS)
tests_test_detector_parameters_SOURCES = tests/test_detector_parameters.c $(detector_support)
tests_test_detector_parameters_LDADD = $(AM_TESTS_LIBS)
tests_test_detector_hostile_SOURCES = tests/test_detector_hostile.c $(detector_support)
tests_test_detector_hostile_LDADD = $(AM_TESTS_LIBS)
tests_test_detector_races_SOURCES = tests/test_detector_races.c $(detector_support)
tests_test_detector_races_LDADD = $(AM_TESTS_LIBS)
tests_test_detector_methods_SOURCES = tests/test_detector_methods.c $(detector_support)
tests_test_detector_methods_LDADD = $(AM_TESTS_LIBS)
tests_test_detector_SOURCES = tests/test_detector.c $(detector_support)
tests_test_detector_LDADD = $(AM_TESTS_LIBS)
tests_test_detector_reference_SOURCES = tests/test_detector_reference.c $(detector_support)
tests_test_detector_reference_LDADD = $(AM_TESTS_LIBS)
tests_test_modulation_SOURCES = tests/test_modulation.c
tests_test_modulation_LDADD = $(AM_TESTS_LIBS)
oclgrind_programs += tests/test_detector_races
EXTRA_DIST += doc/detector.md
