# tool: the command line, one file a command.
tool_sources += \
	src/tool/cache.c \
	src/tool/commands.c src/tool/commands.h \
	src/tool/devices.c \
	src/tool/exit_codes.h \
	src/tool/help.c \
	src/tool/json.c src/tool/json.h \
	src/tool/main.c \
	src/tool/options.c src/tool/options.h \
	src/tool/say.c src/tool/say.h
