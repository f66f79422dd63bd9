# CLR_PACKAGE(option, PREFIX, pkg-config modules, what it gives, yes|auto, Debian and Ubuntu package)
# --without-option leaves it out. "yes" packages stop configure when they are missing and were not configured out; "auto"
# packages are used when they are there. Of several modules the first that is found is taken. Defines HAVE_PREFIX to 0 or 1,
# an automake conditional of that name, PREFIX_CFLAGS and PREFIX_LIBS, and adds a line to the summary. clr_module_option is
# the module that was found.
AC_DEFUN([CLR_PACKAGE], [
  AC_ARG_WITH([$1], [AS_HELP_STRING([--without-$1], [do without $1, and so without $4])], [], [with_$1=$5])
  clr_have_$1=no
  clr_module_$1=
  AS_IF([test "x$with_$1" != xno], [
    for clr_module in $3; do
      AS_IF([test "x$clr_have_$1" = xno], [
        PKG_CHECK_MODULES([$2], [$clr_module], [clr_have_$1=yes clr_module_$1=$clr_module], [:])])
    done
    m4_ifdef([CLR_FALLBACK_$2], [AS_IF([test "x$clr_have_$1" = xno], [CLR_FALLBACK_$2])])
    AS_IF([test "x$clr_have_$1" = xno && test "x$with_$1" = xyes],
      [AC_MSG_ERROR([$1 was not found (pkg-config $3). It gives $4.
  Install it (Debian, Ubuntu: apt-get install $6; tools/setup.sh does this), or configure with --without-$1 to do without.])])])
  AS_IF([test "x$clr_have_$1" = xyes],
    [AC_DEFINE([HAVE_$2], [1], [1 when $1 is there, which gives $4; else 0])],
    [AC_DEFINE([HAVE_$2], [0]) AS_VAR_SET([$2_CFLAGS], []) AS_VAR_SET([$2_LIBS], [])])
  AM_CONDITIONAL([HAVE_$2], [test "x$clr_have_$1" = xyes])
  CLR_SUMMARY_LINE([$1], [$4], [$6])
])

# What pkg-config does not know may still be found by the compiler wrapper that HDF5 installs.
AC_DEFUN([CLR_FALLBACK_HDF5], [
  AC_CHECK_PROGS([H5CC], [h5cc h5cc.serial h5cc-serial])
  AS_IF([test "x$H5CC" != x], [
    HDF5_CFLAGS= HDF5_LIBS=
    for clr_word in `$H5CC -show 2>/dev/null`; do
      AS_CASE([$clr_word],
        [-I*], [HDF5_CFLAGS="$HDF5_CFLAGS $clr_word"],
        [-L*], [HDF5_LIBS="$HDF5_LIBS $clr_word"])
    done
    HDF5_LIBS="$HDF5_LIBS -lhdf5"
    clr_saved_CFLAGS=$CFLAGS clr_saved_LIBS=$LIBS
    CFLAGS="$CFLAGS $HDF5_CFLAGS" LIBS="$HDF5_LIBS $LIBS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <hdf5.h>]], [[return H5open();]])], [clr_have_hdf5=yes])
    CFLAGS=$clr_saved_CFLAGS LIBS=$clr_saved_LIBS])
])

# CLR_PACKAGE_OPENCL: the ICD loader and its headers, the one package that is always needed.
AC_DEFUN([CLR_PACKAGE_OPENCL], [
  PKG_CHECK_MODULES([OPENCL], [OpenCL], [clr_module_opencl=OpenCL], [
    AC_CHECK_HEADER([CL/cl.h], [AC_CHECK_LIB([OpenCL], [clGetPlatformIDs], [OPENCL_LIBS=-lOpenCL])])
    AS_IF([test "x$OPENCL_LIBS" = x],
      [AC_MSG_ERROR([the OpenCL loader (libOpenCL and CL/cl.h) was not found, and clradio cannot do without it.
  Install it (Debian, Ubuntu: apt-get install ocl-icd-opencl-dev opencl-headers; tools/setup.sh does this).])])])
  clr_have_opencl=yes
  CLR_SUMMARY_LINE([opencl], [every kernel], [ocl-icd-opencl-dev])
])

# CLR_PACKAGE_VKFFT: a header-only library that no distribution describes to pkg-config; CPPFLAGS=-I... says where it is.
AC_DEFUN([CLR_PACKAGE_VKFFT], [
  AC_ARG_WITH([vkfft], [AS_HELP_STRING([--without-vkfft], [do not look for the header vkFFT.h])], [], [with_vkfft=auto])
  clr_have_vkfft=no
  AS_IF([test "x$with_vkfft" != xno], [
    clr_saved_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $OPENCL_CFLAGS"
    AC_CHECK_HEADER([vkFFT.h], [clr_have_vkfft=yes], [], [[#define VKFFT_BACKEND 3]])
    CPPFLAGS=$clr_saved_CPPFLAGS
    AS_IF([test "x$clr_have_vkfft" = xno && test "x$with_vkfft" = xyes],
      [AC_MSG_ERROR([vkFFT.h was asked for (--with-vkfft) but does not compile or is not there; say where with CPPFLAGS=-I...])])])
  AS_IF([test "x$clr_have_vkfft" = xyes],
    [AC_DEFINE([HAVE_VKFFT], [1], [1 when vkFFT.h is there; else 0])],
    [AC_DEFINE([HAVE_VKFFT], [0])])
  AM_CONDITIONAL([HAVE_VKFFT], [test "x$clr_have_vkfft" = xyes])
  CLR_SUMMARY_LINE([vkfft], [the F-engine by CLRADIO_FFT=vkfft, and without clFFT (header only)], [])
])

# CLR_REQUIRES_PRIVATE: what a static program needs beside libclradio, for clradio.pc: modules where pkg-config knows them,
# flags where it does not.
AC_DEFUN([CLR_REQUIRES_PRIVATE], [
  clr_requires= clr_libs_private=
  AS_IF([test "x$clr_module_opencl" != x], [clr_requires="$clr_requires $clr_module_opencl"],
    [clr_libs_private="$clr_libs_private $OPENCL_LIBS"])
  m4_foreach_w([clr_package], [clfft clblast],
    [AS_IF([test "x$clr_have_[]clr_package" = xyes], [clr_requires="$clr_requires $clr_module_[]clr_package"])
  ])
  clr_libs_private="$clr_libs_private $LIBS"
  AC_SUBST([CLR_REQUIRES_PRIVATE], [$clr_requires])
  AC_SUBST([CLR_LIBS_PRIVATE], [$clr_libs_private])
])

# CLR_SUMMARY_LINE(option, what it gives, Debian and Ubuntu package)
AC_DEFUN([CLR_SUMMARY_LINE], [
  AS_IF([test "x$clr_have_$1" = xyes],
    [clr_line=`printf '  %-9s yes   %s' '$1' '$2'`],
    [test "x$with_$1" = xno],
    [clr_line=`printf '  %-9s no    left out by --without-$1; it would add %s' '$1' '$2'`],
    [clr_line=`printf '  %-9s no    not found; it would add %s%s' '$1' '$2' 'm4_ifval([$3], [ (apt-get install $3)])'`])
  clr_summary="$clr_summary
$clr_line"
])

AC_DEFUN([CLR_SUMMARY], [
  AC_MSG_NOTICE([clradio $PACKAGE_VERSION

  compiler  $CC $CFLAGS
  prefix    $prefix
  shared library $enable_shared, static library $enable_static, sanitizers $enable_sanitizers, warnings are errors $enable_werror
$clr_summary
])])
