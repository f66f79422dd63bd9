# device
library_sources += \
	src/device/backend.h \
	src/device/build_report.c src/device/build_report.h \
	src/device/cache.c src/device/cache.h \
	src/device/cache_entry.c \
	src/device/cache_list.c \
	src/device/device.h \
	src/device/flatten.c src/device/flatten.h \
	src/device/kernels.h \
	src/device/plan.h \
	src/device/program.c \
	src/device/program_key.c src/device/program_key.h \
	src/device/selftest.c
