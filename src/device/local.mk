# The room device: devices and what can be done with them.
library_sources += \
	src/device/backend.h \
	src/device/buffer.c \
	src/device/build_report.c \
	src/device/build_report.h \
	src/device/cache.c \
	src/device/cache.h \
	src/device/cache_entry.c \
	src/device/cache_list.c \
	src/device/call.c \
	src/device/chain.c \
	src/device/cuda.c \
	src/device/cuda_api.h \
	src/device/cuda_event.c \
	src/device/cuda_foreign.c \
	src/device/cuda_foreign.h \
	src/device/cuda_graph.c \
	src/device/cuda_internal.h \
	src/device/cuda_library.c \
	src/device/cuda_library.h \
	src/device/cuda_link.c \
	src/device/cuda_load.c \
	src/device/cuda_program.c \
	src/device/cuda_queue.c \
	src/device/cuda_wrap.c \
	src/device/device.c \
	src/device/device.h \
	src/device/device_name.c \
	src/device/event.c \
	src/device/flatten.c \
	src/device/flatten.h \
	src/device/kernels.h \
	src/device/opencl.c \
	src/device/opencl_device.c \
	src/device/opencl_internal.h \
	src/device/opencl_memory.c \
	src/device/opencl_program.c \
	src/device/opencl_queue.c \
	src/device/opencl_specific.c \
	src/device/opencl_wrap.c \
	src/device/pipeline.c \
	src/device/pipeline_slot.c \
	src/device/pipeline_slot.h \
	src/device/plan.h \
	src/device/probe.c \
	src/device/probe.h \
	src/device/probe_loop.c \
	src/device/program.c \
	src/device/program_key.c \
	src/device/program_key.h \
	src/device/queue.c \
	src/device/replay.c \
	src/device/selftest.c

check_PROGRAMS += \
	tests/test_cache \
	tests/test_cache_folder \
	tests/test_device \
	tests/test_dialect \
	tests/test_flatten \
	tests/test_pipeline \
	tests/test_program \
	tests/test_program_device \
	tests/test_queue \
	tests/test_replay \
	tests/test_selftest \
	tests/test_specific
tests_test_cache_SOURCES = tests/test_cache.c tests/cache_fixture.c tests/cache_fixture.h
tests_test_cache_LDADD = $(AM_TESTS_LIBS)
tests_test_cache_folder_SOURCES = tests/test_cache_folder.c tests/cache_fixture.c tests/cache_fixture.h
tests_test_cache_folder_LDADD = $(AM_TESTS_LIBS)
tests_test_device_LDADD = $(AM_TESTS_LIBS)
tests_test_dialect_SOURCES = tests/test_dialect.c tests/kernel_resources.c tests/kernel_resources.h tests/kernel_settings.h \
	tests/nvrtc_support.c tests/nvrtc_support.h
tests_test_dialect_LDADD = $(AM_TESTS_LIBS)
tests_test_flatten_LDADD = $(AM_TESTS_LIBS)
tests_test_pipeline_LDADD = $(AM_TESTS_LIBS)
tests_test_program_SOURCES = tests/test_program.c tests/fake_back_end.c tests/fake_back_end.h
tests_test_program_LDADD = $(AM_TESTS_LIBS)
tests_test_program_device_LDADD = $(AM_TESTS_LIBS)
tests_test_queue_LDADD = $(AM_TESTS_LIBS)
tests_test_replay_LDADD = $(AM_TESTS_LIBS)
tests_test_selftest_SOURCES = tests/test_selftest.c tests/fake_back_end.c tests/fake_back_end.h
tests_test_selftest_LDADD = $(AM_TESTS_LIBS)
tests_test_specific_LDADD = $(AM_TESTS_LIBS)

# Measures what the program cache saves: make bench/start && bench/start
EXTRA_PROGRAMS += bench/start
bench_start_SOURCES = bench/start.c
bench_start_LDADD = libcore.la
CLEANFILES += bench/start
EXTRA_DIST += doc/performance.md
