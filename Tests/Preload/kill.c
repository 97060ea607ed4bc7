/*
 * Ends a program before one of its system calls that change files, for tests: LD_PRELOAD this and set KILL to the
 * number of the call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void count(void) {
  static int calls;
  const char *due = getenv("KILL");
  if (due && ++calls == atoi(due)) raise(SIGKILL);
}

static int is_regular(int number) {
  struct stat status;
  return fstat(number, &status) == 0 && S_ISREG(status.st_mode);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPENING(name)                                                                              \
  int name(int directory, const char *path, int flags, ...) {                                      \
    va_list more;                                                                                  \
    va_start(more, flags);                                                                         \
    int mode = va_arg(more, int);                                                                  \
    va_end(more);                                                                                  \
    if (flags & (O_CREAT | O_TRUNC)) count();                                                      \
    return REAL(name)(directory, path, flags, mode);                                               \
  }
OPENING(openat)
OPENING(openat64)

ssize_t write(int number, const void *bytes, size_t length) {
  if (is_regular(number)) count();
  return REAL(write)(number, bytes, length);
}

ssize_t pwrite(int number, const void *bytes, size_t length, off_t offset) {
  count();
  return REAL(pwrite)(number, bytes, length, offset);
}

int fsync(int number) {
  count();
  return REAL(fsync)(number);
}

int fdatasync(int number) {
  count();
  return REAL(fdatasync)(number);
}

int renameat(int from, const char *old, int to, const char *name) {
  count();
  return REAL(renameat)(from, old, to, name);
}

int renameat2(int from, const char *old, int to, const char *name, unsigned flags) {
  count();
  return REAL(renameat2)(from, old, to, name, flags);
}

int unlinkat(int directory, const char *path, int flags) {
  count();
  return REAL(unlinkat)(directory, path, flags);
}

int mkdirat(int directory, const char *path, mode_t mode) {
  count();
  return REAL(mkdirat)(directory, path, mode);
}
