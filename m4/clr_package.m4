# CLR_PACKAGE(option, PREFIX, pkg-config module, what it gives, default yes|auto)
# --without-option leaves it out. "yes" packages stop configure when they are missing and were not configured out;
# "auto" packages are used when they are there. Defines HAVE_PREFIX to 0 or 1, and an automake conditional of that name.
AC_DEFUN([CLR_PACKAGE], [
  AC_ARG_WITH([$1], [AS_HELP_STRING([--without-$1], [leave out $3 ($4)])], [], [with_$1=$5])
  clr_have_$1=no
  AS_IF([test "x$with_$1" != xno], [
    PKG_CHECK_MODULES([$2], [$3], [clr_have_$1=yes], [
      AS_IF([test "x$with_$1" = xyes],
        [AC_MSG_ERROR([$3 was not found. It gives $4. Install its development package, or configure with --without-$1.])])])])
  AS_IF([test "x$clr_have_$1" = xyes],
    [AC_DEFINE([HAVE_$2], [1], [1 when $3 is there: $4])],
    [AC_DEFINE([HAVE_$2], [0], [1 when $3 is there: $4])])
  AM_CONDITIONAL([HAVE_$2], [test "x$clr_have_$1" = xyes])
  clr_summary="$clr_summary
    $3: $clr_have_$1 ($4)"
])

# CLR_PACKAGE_OPENCL: the ICD loader and its headers, the one package that is always needed.
AC_DEFUN([CLR_PACKAGE_OPENCL], [
  PKG_CHECK_MODULES([OPENCL], [OpenCL], [], [
    AC_MSG_ERROR([no OpenCL ICD loader was found. Install ocl-icd-opencl-dev (Debian, Ubuntu) or the OpenCL-ICD-Loader.])])
  clr_summary="
    OpenCL: yes (every kernel)"
])

AC_DEFUN([CLR_SUMMARY], [
  AC_MSG_NOTICE([clradio $PACKAGE_VERSION, prefix $prefix, packages:$clr_summary])
])
