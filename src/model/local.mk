# model: places, antennas, the sky and the array that sees it; channels.
file_sources += \
	src/model/antennas.c src/model/antennas.h \
	src/model/array.c src/model/array.h \
	src/model/channel.c src/model/channel.h \
	src/model/channel_cdl.c \
	src/model/channel_internal.h \
	src/model/channel_tables.c \
	src/model/channel_tdl.c \
	src/model/fading.c src/model/fading.h \
	src/model/geometry.c src/model/geometry.h \
	src/model/random.h

check_PROGRAMS += tests/test_antennas tests/test_array tests/test_channel tests/test_channel_cdl tests/test_geometry
tests_test_antennas_LDADD = $(AM_TESTS_LIBS)
tests_test_array_LDADD = $(AM_TESTS_LIBS)
tests_test_channel_SOURCES = tests/test_channel.c tests/channel_support.c tests/channel_support.h
tests_test_channel_LDADD = $(AM_TESTS_LIBS)
tests_test_channel_cdl_SOURCES = tests/test_channel_cdl.c tests/channel_support.c tests/channel_support.h
tests_test_channel_cdl_LDADD = $(AM_TESTS_LIBS)
tests_test_geometry_LDADD = $(AM_TESTS_LIBS)

EXTRA_DIST += doc/antennas.md
