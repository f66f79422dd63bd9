# base: status, log, checked arithmetic, hashes, files, progress. Stands on nothing.
library_sources += \
	src/base/checked.h \
	src/base/error.c src/base/error.h \
	src/base/file.c src/base/file.h \
	src/base/progress.c src/base/progress.h \
	src/base/sha256.c src/base/sha256.h \
	src/base/temporary.c \
	src/base/text.c src/base/text.h \
	src/base/types.c
