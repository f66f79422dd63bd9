# tool: the command line, one file a command.
tool_sources += \
	src/tool/commands.c src/tool/commands.h \
	src/tool/exit_codes.h \
	src/tool/help.c \
	src/tool/main.c \
	src/tool/options.c src/tool/options.h \
	src/tool/say.c src/tool/say.h
