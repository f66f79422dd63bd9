# model: places, antennas, the sky and the array that sees it.
file_sources += \
	src/model/antennas.c src/model/antennas.h \
	src/model/array.c src/model/array.h \
	src/model/geometry.c src/model/geometry.h \
	src/model/random.h

check_PROGRAMS += tests/test_antennas tests/test_array tests/test_geometry
tests_test_antennas_LDADD = $(AM_TESTS_LIBS)
tests_test_array_LDADD = $(AM_TESTS_LIBS)
tests_test_geometry_LDADD = $(AM_TESTS_LIBS)

EXTRA_DIST += doc/antennas.md
