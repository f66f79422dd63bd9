# io: readers and writers of the formats that users have. Knows no device.
# Arrays with names.
file_sources += \
	src/io/apsm.c \
	src/io/arrays.c src/io/arrays.h \
	src/io/arrays_convert.c \
	src/io/arrays_hdf.c src/io/arrays_hdf.h \
	src/io/arrays_hdf_names.c \
	src/io/arrays_hdf_write.c \
	src/io/arrays_internal.h \
	src/io/arrays_mat.c \
	src/io/arrays_mat_write.c \
	src/io/arrays_write.c \
	src/io/named_arrays.c src/io/named_arrays.h \
	src/io/npy.c \
	src/io/npy_write.c \
	src/io/npz.c \
	src/io/rays.c \
	src/io/taps.c src/io/taps.h \
	src/io/taps_internal.h \
	src/io/taps_join.c \
	src/io/taps_channels.c \
	src/io/taps_own.c

check_PROGRAMS += tests/test_arrays tests/test_arrays_full tests/test_arrays_hostile tests/test_npy tests/test_taps
tests_test_taps_SOURCES = tests/test_taps.c tests/taps_support.c tests/taps_support.h
tests_test_taps_LDADD = $(AM_TESTS_LIBS)
tests_test_npy_LDADD = $(AM_TESTS_LIBS)
tests_test_arrays_LDADD = $(AM_TESTS_LIBS)
tests_test_arrays_full_LDADD = $(AM_TESTS_LIBS)
tests_test_arrays_hostile_SOURCES = tests/test_arrays_hostile.c tests/counted_memory.c tests/counted_memory.h
tests_test_arrays_hostile_LDADD = $(AM_TESTS_LIBS)
tests_test_arrays_hostile_LDFLAGS = $(counted_memory_flags)

# Visibilities.
file_sources += \
	src/io/uvh5.c src/io/uvh5.h \
	src/io/uvh5_absent.c \
	src/io/uvh5_hdf.c \
	src/io/uvh5_header.c \
	src/io/uvh5_info.c \
	src/io/uvh5_internal.h \
	src/io/uvh5_lzf.c src/io/uvh5_lzf.h \
	src/io/uvh5_read.c src/io/uvh5_read.h \
	src/io/uvh5_read_header.c \
	src/io/uvh5_read_internal.h \
	src/io/uvh5_rows.c

uvh5_support = tests/uvh5_support.c tests/uvh5_support.h
check_PROGRAMS += tests/test_uvh5 tests/test_uvh5_failures tests/test_uvh5_foreign
tests_test_uvh5_SOURCES = tests/test_uvh5.c $(uvh5_support)
tests_test_uvh5_LDADD = $(AM_TESTS_LIBS)
tests_test_uvh5_failures_SOURCES = tests/test_uvh5_failures.c $(uvh5_support)
tests_test_uvh5_failures_LDADD = $(AM_TESTS_LIBS)
tests_test_uvh5_foreign_LDADD = $(AM_TESTS_LIBS)

# The readers and writers of voltages.
file_sources += \
	src/io/bytes.c src/io/bytes.h \
	src/io/dada.c src/io/dada.h \
	src/io/dada_facts.c \
	src/io/dada_header.c src/io/dada_header.h \
	src/io/dada_read.c \
	src/io/dada_write.c \
	src/io/describe.c \
	src/io/foreign.c \
	src/io/frames.c src/io/frames.h \
	src/io/reader.h \
	src/io/source.c src/io/source.h \
	src/io/tbn.c src/io/tbn.h \
	src/io/tbn_write.c \
	src/io/time.c \
	src/io/unpack.c src/io/unpack.h \
	src/io/vdif.c src/io/vdif.h \
	src/io/vdif_header.c src/io/vdif_header.h \
	src/io/vdif_scan.c \
	src/io/vdif_time.c \
	src/io/vdif_write.c \
	src/io/voltage_writer.h

voltage_support = tests/voltage_support.c tests/voltage_support.h
check_PROGRAMS += tests/test_time tests/test_readers tests/test_vdif tests/test_dada tests/test_readers_data tests/test_hostile
tests_test_time_LDADD = $(AM_TESTS_LIBS)
tests_test_readers_SOURCES = tests/test_readers.c $(voltage_support)
tests_test_readers_LDADD = $(AM_TESTS_LIBS)
tests_test_vdif_SOURCES = tests/test_vdif.c $(voltage_support)
tests_test_vdif_LDADD = $(AM_TESTS_LIBS)
tests_test_dada_SOURCES = tests/test_dada.c $(voltage_support)
tests_test_dada_LDADD = $(AM_TESTS_LIBS)
tests_test_readers_data_SOURCES = tests/test_readers_data.c $(voltage_support)
tests_test_readers_data_LDADD = $(AM_TESTS_LIBS)
tests_test_hostile_SOURCES = tests/test_hostile.c tests/counted_memory.c tests/counted_memory.h $(voltage_support)
tests_test_hostile_LDADD = $(AM_TESTS_LIBS)
# Counts what the readers allocate.
counted_memory_flags = -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free \
	-Wl,--wrap=strdup -Wl,--wrap=strndup
tests_test_hostile_LDFLAGS = $(counted_memory_flags)

# Small tables
file_sources += src/io/csv.c src/io/csv.h
check_PROGRAMS += tests/test_csv
tests_test_csv_LDADD = $(AM_TESTS_LIBS)
