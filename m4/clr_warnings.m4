# CLR_WARNINGS: the warnings of every build; --enable-werror makes them errors (CI does, a release does not).
AC_DEFUN([CLR_WARNINGS], [
  AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat warnings as errors])], [], [enable_werror=no])
  CLR_WARNING_FLAGS="-std=c11 -Wall -Wextra -Wpedantic"
  AS_IF([test "x$enable_werror" = xyes], [CLR_WARNING_FLAGS="$CLR_WARNING_FLAGS -Werror"])
  AC_SUBST([CLR_WARNING_FLAGS])
])

# CLR_SANITIZERS: --enable-sanitizers builds everything with the address and undefined-behaviour sanitizers; the first finding
# ends a program. For tests, not for use.
AC_DEFUN([CLR_SANITIZERS], [
  AC_ARG_ENABLE([sanitizers], [AS_HELP_STRING([--enable-sanitizers],
    [build library, tool and tests with the address and undefined-behaviour sanitizers])], [], [enable_sanitizers=no])
  CLR_SANITIZER_FLAGS=
  AS_IF([test "x$enable_sanitizers" = xyes], [
    CLR_SANITIZER_FLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
    clr_saved_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS $CLR_SANITIZER_FLAGS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [],
      [AC_MSG_ERROR([$CC cannot link with $CLR_SANITIZER_FLAGS; install its sanitizer runtime or leave out --enable-sanitizers])])
    # The instrumented code of gcc makes it warn of variables that are set.
    CFLAGS="$clr_saved_CFLAGS -Werror -Wno-maybe-uninitialized"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [CLR_SANITIZER_FLAGS="$CLR_SANITIZER_FLAGS -Wno-maybe-uninitialized"])
    CFLAGS=$clr_saved_CFLAGS])
  AC_SUBST([CLR_SANITIZER_FLAGS])
  AM_CONDITIONAL([SANITIZERS], [test "x$enable_sanitizers" = xyes])
])

# CLR_VERSION_SCRIPT: whether the linker takes a version script, the second fence behind -fvisibility=hidden.
AC_DEFUN([CLR_VERSION_SCRIPT], [
  AC_CACHE_CHECK([whether the linker takes a version script], [clr_cv_version_script], [
    echo '{ global: main; local: *; };' > conftest.map
    clr_saved_LDFLAGS=$LDFLAGS
    LDFLAGS="$LDFLAGS -Wl,--version-script=conftest.map"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [clr_cv_version_script=yes], [clr_cv_version_script=no])
    LDFLAGS=$clr_saved_LDFLAGS
    rm -f conftest.map])
  AM_CONDITIONAL([VERSION_SCRIPT], [test "x$clr_cv_version_script" = xyes])
])
