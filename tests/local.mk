# The tests: programs that speak TAP through cmocka, and scripts that speak it themselves (TEST_EXTENSIONS .sh).
# A room's tests stand in the room's local.mk; here are what they share and how they are run.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
TEST_EXTENSIONS = .sh
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/run_program.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(SHELL)
# clFFT deletes its plans as another type than it made. Mesa's drivers leak and unload themselves, so that no suppression can name
# them: PoCL alone serves here, where it is installed and nothing else was asked for.
sanitizer_environment =
if SANITIZERS
sanitizer_environment += CLRADIO_SANITIZERS=yes; export CLRADIO_SANITIZERS; \
	ASAN_OPTIONS="$${ASAN_OPTIONS-detect_leaks=1:new_delete_type_mismatch=0}"; export ASAN_OPTIONS; \
	UBSAN_OPTIONS="$${UBSAN_OPTIONS-print_stacktrace=1}"; export UBSAN_OPTIONS; \
	LSAN_OPTIONS="$${LSAN_OPTIONS-suppressions=$(abs_top_srcdir)/tests/lsan.supp:print_suppressions=0}"; export LSAN_OPTIONS; \
	if test -z "$${OCL_ICD_VENDORS-}" && test -r /etc/OpenCL/vendors/pocl.icd; then \
	  OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd; export OCL_ICD_VENDORS; fi;
endif
AM_TESTS_ENVIRONMENT = \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	CLRADIO_CACHE_DIR='$(abs_builddir)/tests/cache'; export CLRADIO_CACHE_DIR; \
	CLRADIO_NVRTC_RESULTS='$(abs_builddir)/tests/nvrtc'; export CLRADIO_NVRTC_RESULTS; \
	srcdir='$(srcdir)'; export srcdir; top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	CC='$(CC)'; export CC; MAKE='$(MAKE)'; export MAKE; PKG_CONFIG='$(PKG_CONFIG)'; export PKG_CONFIG; \
	$(sanitizer_environment) \
	CLRADIO_BUILD_FLAGS='$(CFLAGS) $(CLR_SANITIZER_FLAGS) $(LDFLAGS)'; export CLRADIO_BUILD_FLAGS; \
	CLRADIO_BUILD_INSTALL='$(prefix) $(libdir)'; export CLRADIO_BUILD_INSTALL; \
	CLRADIO_BUILD_FILES='$(DIST_SOURCES) $(HEADERS) $(EXTRA_DIST)'; export CLRADIO_BUILD_FILES; \
	CLRADIO_OCLGRIND_PROGRAMS='$(oclgrind_programs)'; export CLRADIO_OCLGRIND_PROGRAMS;

# Programs that tests/test_oclgrind.sh runs under the simulator; add yours: oclgrind_programs += tests/test_x
# (Makefile.am starts it empty.)

check_LTLIBRARIES += libtests.la
libtests_la_SOURCES = tests/support.c tests/support_devices.c tests/support_gate.c tests/support.h
libtests_la_LIBADD = $(CMOCKA_LIBS)
AM_TESTS_LIBS = libtests.la libfiles.la libcore.la $(JANSSON_LIBS) $(FFTW_LIBS)

check_PROGRAMS += tests/test_base
tests_test_base_LDADD = $(AM_TESTS_LIBS)

test_scripts = \
	tests/test_arrays_python.sh \
	tests/test_ber.sh \
	tests/test_ber_table.sh \
	tests/test_cuda.sh \
	tests/test_data.sh \
	tests/test_headers.sh \
	tests/test_install.sh \
	tests/test_lists.sh \
	tests/test_oclgrind.sh \
	tests/test_offline_amd.sh \
	tests/test_resources.sh \
	tests/test_vkfft.sh \
	tests/test_pyuvdata.sh \
	tests/test_simulate.sh \
	tests/test_symbols.sh \
	tests/test_tool.sh \
	tests/test_tool_detect.sh \
	tests/test_tool_dft.sh \
	tests/test_tool_signals.sh \
	tests/test_tool_sinr.sh
EXTRA_DIST += tests/oclgrind_uninitialized.c tests/cuda_stand_in.c $(test_scripts) tests/README.md tests/check_arrays.py tests/check_detect.py tests/check_dft.py tests/check_sinr.py tests/check_uvh5.py \
	tests/amd_compiler.sh tests/command.sh tests/run_program.sh tests/tap.sh tests/symbols.txt tests/lsan.supp

TESTS += $(check_PROGRAMS) $(test_scripts)

# The same programs with many more random cases: hours.
long_tests = tests/test_detector tests/test_detector_reference tests/test_xengine_random tests/test_xengine_edges tests/test_xengine_sizes tests/test_hostile tests/test_arrays_hostile tests/test_dft tests/test_ber_table.sh
check-long:
	CLRADIO_TEST_LONG=1 CLRADIO_TEST_SECONDS=86400 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(long_tests)'
.PHONY: check-long
