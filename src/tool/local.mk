# tool: the command line, one file a command.
tool_sources += \
	src/tool/main.c
