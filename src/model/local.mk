# model: places, antennas, the sky and the array that sees it.
file_sources += \
	src/model/geometry.c src/model/geometry.h
