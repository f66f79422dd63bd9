# engine
library_sources += \
	src/engine/fengine.c src/engine/fengine.h \
	src/engine/fengine_clfft_opencl.c \
	src/engine/fengine_config.c \
	src/engine/fengine_enqueue.c \
	src/engine/fengine_pieces.c \
	src/engine/fengine_reference.c src/engine/fengine_reference.h \
	src/engine/fengine_self_test.c \
	src/engine/fengine_window.c

check_PROGRAMS += tests/test_fengine
tests_test_fengine_SOURCES = tests/test_fengine.c tests/fengine_support.c tests/fengine_support.h
tests_test_fengine_LDADD = $(AM_TESTS_LIBS)
