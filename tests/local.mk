# The tests: programs that speak TAP through cmocka, and scripts that speak it themselves (TEST_EXTENSIONS .sh).
# A room's tests stand in the room's local.mk; here are what they share and how they are run.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
TEST_EXTENSIONS = .sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(SHELL)
AM_TESTS_ENVIRONMENT = \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	CLRADIO_CACHE_DIR='$(abs_builddir)/tests/cache'; export CLRADIO_CACHE_DIR; \
	srcdir='$(srcdir)'; export srcdir; top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir;

check_LTLIBRARIES += libtests.la
libtests_la_SOURCES = tests/support.c tests/support_devices.c tests/support.h
libtests_la_LIBADD = $(CMOCKA_LIBS)
AM_TESTS_LIBS = libtests.la libfiles.la libcore.la $(JANSSON_LIBS) $(FFTW_LIBS)

check_PROGRAMS += tests/test_base
tests_test_base_LDADD = $(AM_TESTS_LIBS)

TESTS += $(check_PROGRAMS)
