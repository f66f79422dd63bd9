# The examples: built with the shared library as a user's program is, run by tests/test_example.sh, not installed.
noinst_PROGRAMS = examples/embed_opencl examples/embed_cuda
examples_embed_cuda_LDADD = libclradio.la
examples_embed_opencl_LDADD = libclradio.la $(OPENCL_LIBS)
TESTS += tests/test_example.sh
EXTRA_DIST += tests/test_example.sh

# Embedding: an X-engine on objects of the caller's own.
embed_support = tests/embed_support.c tests/embed_support.h
check_PROGRAMS += tests/test_embed tests/test_embed_cuda tests/test_embed_limits
tests_test_embed_SOURCES = tests/test_embed.c $(embed_support)
tests_test_embed_LDADD = $(AM_TESTS_LIBS)
tests_test_embed_limits_SOURCES = tests/test_embed_limits.c $(embed_support)
tests_test_embed_cuda_LDADD = $(AM_TESTS_LIBS)
tests_test_embed_limits_LDADD = $(AM_TESTS_LIBS)
