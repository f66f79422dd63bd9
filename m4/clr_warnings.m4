# CLR_WARNINGS: the warnings of every build; --enable-werror makes them errors (CI does, a release does not).
AC_DEFUN([CLR_WARNINGS], [
  AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat warnings as errors])], [], [enable_werror=no])
  CLR_WARNING_FLAGS="-std=c11 -Wall -Wextra -Wpedantic"
  AS_IF([test "x$enable_werror" = xyes], [CLR_WARNING_FLAGS="$CLR_WARNING_FLAGS -Werror"])
  AC_SUBST([CLR_WARNING_FLAGS])
])
