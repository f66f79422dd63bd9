# io
file_sources += \
	src/io/uvh5.c src/io/uvh5.h \
	src/io/uvh5_absent.c \
	src/io/uvh5_hdf.c \
	src/io/uvh5_header.c \
	src/io/uvh5_info.c \
	src/io/uvh5_internal.h \
	src/io/uvh5_lzf.c src/io/uvh5_lzf.h \
	src/io/uvh5_read.c src/io/uvh5_read.h \
	src/io/uvh5_rows.c

check_PROGRAMS += tests/test_uvh5 tests/test_uvh5_foreign
tests_test_uvh5_LDADD = $(AM_TESTS_LIBS)
tests_test_uvh5_foreign_LDADD = $(AM_TESTS_LIBS)
