# tool: the command line, one file a command.
tool_sources += \
	src/tool/bench.c src/tool/bench.h \
	src/tool/bench_detector.c src/tool/bench_detector.h \
	src/tool/bench_detector_case.c \
	src/tool/bench_detector_host.c src/tool/bench_detector_say.c \
	src/tool/bench_dft.c src/tool/bench_dft.h \
	src/tool/bench_dft_case.c \
	src/tool/bench_lte57.c src/tool/bench_lte57.h src/tool/bench_lte57_cases.c \
	src/tool/bench_lte57_draw.c src/tool/bench_lte57_launch.c \
	src/tool/bench_lte57_memory.c \
	src/tool/bench_lte57_run.c \
	src/tool/bench_dft_peers.c \
	src/tool/bench_fftw.c \
	src/tool/bench_measure.c \
	src/tool/bench_peak.c \
	src/tool/bench_openblas.c \
	src/tool/bench_xengine.c src/tool/bench_xengine.h \
	src/tool/bench_xengine_case.c \
	src/tool/bench_xengine_draw.c \
	src/tool/bench_xengine_pipeline.c \
	src/tool/ber.c src/tool/ber.h \
	src/tool/ber_channel.c \
	src/tool/ber_options.c \
	src/tool/ber_output.c \
	src/tool/ber_plot.c \
	src/tool/ber_resume.c \
	src/tool/ber_setup.c \
	src/tool/cache.c \
	src/tool/commands.c src/tool/commands.h \
	src/tool/correlate.c src/tool/correlate.h \
	src/tool/correlate_output.c \
	src/tool/correlate_plan.c \
	src/tool/correlate_run.c \
	src/tool/correlate_verify.c \
	src/tool/demo.c \
	src/tool/demo_look.c src/tool/demo_look.h \
	src/tool/detect.c src/tool/detect.h \
	src/tool/detect_capture.c \
	src/tool/detect_input.c \
	src/tool/detect_plan.c \
	src/tool/detect_run.c \
	src/tool/devices.c \
	src/tool/dft.c src/tool/dft.h \
	src/tool/dft_input.c \
	src/tool/dft_output.c \
	src/tool/dft_plan.c \
	src/tool/dft_run.c \
	src/tool/dft_verify.c \
	src/tool/exit_codes.h \
	src/tool/gnuplot.c src/tool/gnuplot.h \
	src/tool/help.c \
	src/tool/info.c \
	src/tool/info_arrays.c src/tool/info_arrays.h \
	src/tool/info_visibilities.c src/tool/info_visibilities.h \
	src/tool/input_map.c src/tool/input_map.h \
	src/tool/json.c src/tool/json.h \
	src/tool/main.c \
	src/tool/matrix.c src/tool/matrix.h \
	src/tool/options.c src/tool/options.h \
	src/tool/plot.c \
	src/tool/plot_draw.c src/tool/plot_draw.h \
	src/tool/plot_internal.h \
	src/tool/plot_matrix.c \
	src/tool/plot_panels.c \
	src/tool/plot_response.c src/tool/plot_response.h \
	src/tool/presence.c src/tool/presence.h \
	src/tool/same_file.c src/tool/same_file.h \
	src/tool/say.c src/tool/say.h \
	src/tool/simulate.c src/tool/simulate.h \
	src/tool/simulate_array.c \
	src/tool/simulate_sky.c \
	src/tool/sinr.c src/tool/sinr.h \
	src/tool/sinr_input.c \
	src/tool/sinr_run.c \
	src/tool/sinr_verify.c \
	src/tool/voltages.c src/tool/voltages.h \
	src/tool/voltages_read.c

# Runs the program that was built: needs it first.
check_PROGRAMS += tests/test_correlate
tests_test_correlate_LDADD = $(AM_TESTS_LIBS)
