/*
 * Makes one system call of a program fail, for tests: LD_PRELOAD this and set FAULT to FUNCTION:N:KIND:REPEAT.
 *
 * The N-th call of FUNCTION on a regular file fails. KIND is the name of an error, or "short" for a write that
 * takes half. REPEAT is "once", or "sticky" for every call from the N-th on. "rename" means every call that gives a
 * file a name; "close" closes the file all the same, as the system does.
 *
 * With FAULT_IN=WORD only a program is meant that has this word behind its name, such as "session".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_elsewhere;

__attribute__((constructor)) static void begin(int count, char **arguments) {
  const char *word = getenv("FAULT_IN");
  is_elsewhere = word && !(count > 1 && strcmp(arguments[1], word) == 0);
}

enum { none = 0, half = -1 };

static int is_regular(int number) {
  struct stat status;
  return fstat(number, &status) == 0 && S_ISREG(status.st_mode);
}

static int code_of(const char *kind) {
  if (strcmp(kind, "short") == 0) return half;
  if (strcmp(kind, "EIO") == 0) return EIO;
  if (strcmp(kind, "ENOSPC") == 0) return ENOSPC;
  if (strcmp(kind, "EDQUOT") == 0) return EDQUOT;
  if (strcmp(kind, "EINTR") == 0) return EINTR;
  abort();
}

/* What this call has to do: nothing, take half, or fail with an error number. */
static int fault(const char *function, int number) {
  static int calls;
  char wanted[32], kind[16], repeat[16];
  int due;
  const char *setting = getenv("FAULT");
  if (is_elsewhere) return none;
  if (!setting || sscanf(setting, "%31[^:]:%d:%15[^:]:%15s", wanted, &due, kind, repeat) != 4) return none;
  if (strcmp(wanted, function) != 0 || (number >= 0 && !is_regular(number))) return none;
  int call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  int is_due = strcmp(repeat, "sticky") == 0 ? call >= due : call == due;
  return is_due ? code_of(kind) : none;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define MAYBE_FAIL(name, number)                                                                   \
  int code = fault(#name, number);                                                                 \
  if (code > 0) {                                                                                  \
    errno = code;                                                                                  \
    return -1;                                                                                     \
  }

ssize_t pwrite(int number, const void *bytes, size_t count, off_t offset) {
  MAYBE_FAIL(pwrite, number)
  return REAL(pwrite)(number, bytes, code == half ? (count + 1) / 2 : count, offset);
}

ssize_t write(int number, const void *bytes, size_t count) {
  MAYBE_FAIL(write, number)
  return REAL(write)(number, bytes, code == half ? (count + 1) / 2 : count);
}

int fsync(int number) {
  MAYBE_FAIL(fsync, number)
  return REAL(fsync)(number);
}

int fdatasync(int number) {
  MAYBE_FAIL(fdatasync, number)
  return REAL(fdatasync)(number);
}

int ftruncate(int number, off_t length) {
  MAYBE_FAIL(ftruncate, number)
  return REAL(ftruncate)(number, length);
}

int close(int number) {
  int code = fault("close", number);
  int answer = REAL(close)(number);
  if (code > 0) errno = code;
  return code > 0 ? -1 : answer;
}

#define MAYBE_FAIL_TO_NAME                                                                         \
  int code = fault("rename", -1);                                                                  \
  if (code > 0) {                                                                                  \
    errno = code;                                                                                  \
    return -1;                                                                                     \
  }

int renameat(int from, const char *old, int to, const char *new) {
  MAYBE_FAIL_TO_NAME
  return REAL(renameat)(from, old, to, new);
}

int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
  MAYBE_FAIL_TO_NAME
  return REAL(renameat2)(from, old, to, new, flags);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
  MAYBE_FAIL_TO_NAME
  return REAL(linkat)(from, old, to, new, flags);
}
