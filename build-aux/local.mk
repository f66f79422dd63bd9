# Packaging and the targets that people type: what is installed beside library, headers and tool; symbols, format, tidy,
# bench, bundle.
dist_man_MANS = doc/clradio.1
EXTRA_DIST += bootstrap .clang-format .clang-tidy .ci/run LICENSE CHANGELOG.md CONTRIBUTING.md README.md doc/design.md doc/pictures/lte57-h200-cuda.png doc/pictures/xengine-h200.png doc/xengine.md \
	tools/build.sh tools/check.sh tools/check_nvrtc.sh tools/demo.sh tools/setup.sh \
	tools/oclgrind.patch tools/setup_intel.sh tools/setup_oclgrind.sh tools/setup_python.sh \
	build-aux/libclradio.map build-aux/clradio.pc.in build-aux/clradioConfig.cmake.in \
	build-aux/clradioConfigVersion.cmake.in build-aux/bundle.sh build-aux/bundle_measure.sh build-aux/bundle_run.sh

pkgconfig_DATA = clradio.pc

# The CMake package. The way from it to the headers is relative, so that an installed tree may be moved.
cmakedir = $(libdir)/cmake/clradio
nodist_cmake_DATA = clradioConfig.cmake clradioConfigVersion.cmake
cmake_libraries = OpenCL
if HAVE_CLFFT
cmake_libraries += clFFT
endif
if HAVE_CLBLAST
cmake_libraries += clblast
endif
CLEANFILES += $(nodist_cmake_DATA)

clradioConfig.cmake: build-aux/clradioConfig.cmake.in Makefile
	$(AM_V_GEN)$(SED) -e 's|@''relative_includedir@|'"`realpath -m -s --relative-to='$(cmakedir)' '$(includedir)'`"'|' \
	  -e "s|@""cmake_libraries@|`echo $(cmake_libraries) | tr ' ' ';'`|" \
	  $(srcdir)/build-aux/clradioConfig.cmake.in > $@.new && mv $@.new $@

clradioConfigVersion.cmake: build-aux/clradioConfigVersion.cmake.in Makefile
	$(AM_V_GEN)bytes=`echo __SIZEOF_POINTER__ | $(CC) $(CPPFLAGS) $(CFLAGS) -E -P -x c - | tail -n 1`; \
	$(SED) -e 's|@''PACKAGE_VERSION@|$(PACKAGE_VERSION)|' -e 's|@''CLRADIO_VERSION_MAJOR@|$(CLRADIO_VERSION_MAJOR)|' \
	  -e 's|@''CLRADIO_VERSION_MINOR@|$(CLRADIO_VERSION_MINOR)|' -e "s|@""pointer_bytes@|$$bytes|" \
	  $(srcdir)/build-aux/clradioConfigVersion.cmake.in > $@.new && mv $@.new $@

# The checked-in list of what the shared library exports: run this when a public function came or went.
.PHONY: symbols resources format tidy bench bundle
symbols: libclradio.la
	$(AM_V_GEN)nm -D --defined-only .libs/libclradio.so | awk '$$2 ~ /[TDBRV]/ { sub(/@.*/, "", $$3); print $$3 }' \
	  | grep '^clradio_' | LC_ALL=C sort > symbols.new && cp symbols.new $(srcdir)/tests/symbols.txt && rm symbols.new

# The checked-in budget of registers and memory: run this when a kernel or a default changed, and look at the difference.
resources: tests/test_dialect$(EXEEXT)
	$(AM_V_GEN)top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' PKG_CONFIG='$(PKG_CONFIG)' \
	  CLRADIO_RESOURCES=write $(SHELL) $(srcdir)/tests/test_resources.sh

# The sources that people write, for the formatter and the checker.
CLANG_FORMAT = clang-format
CLANG_TIDY = clang-tidy
c_folders = $(srcdir)/src $(srcdir)/include $(srcdir)/tests $(srcdir)/examples $(srcdir)/bench
format:
	find $(c_folders) -name '*.[ch]' -print 2>/dev/null | LC_ALL=C sort | xargs $(CLANG_FORMAT) -i

# Silent, or it fails. clang's counts of what it found in headers of others and does not show are no findings.
tidy: src/device/kernels.c
	$(AM_V_at)find $(c_folders) -name '*.c' -print 2>/dev/null | LC_ALL=C sort | xargs -n 4 -P `nproc 2>/dev/null || echo 1` \
	  $(SHELL) -c '$(CLANG_TIDY) --quiet --config-file=$(srcdir)/.clang-tidy "$$@" \
	  -- -std=c11 $(DEFS) $(AM_CPPFLAGS) $(CPPFLAGS)' tidy 2>&1 | { ! grep -v ' warnings\{0,1\} generated\.$$'; }

BENCH = bench xengine
bench: clradio$(EXEEXT)
	./clradio$(EXEEXT) $(BENCH)

# One folder with everything that another Linux machine of this kind needs but the GPU driver.
bundle: all $(check_PROGRAMS)
	$(AM_V_GEN)$(SHELL) $(srcdir)/build-aux/bundle.sh $(srcdir) bundle $(check_PROGRAMS)
clean-local:
	rm -rf bundle tests/cache tests/nvrtc
