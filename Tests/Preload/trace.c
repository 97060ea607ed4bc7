/*
 * Follows what a program does to its files, for tests: LD_PRELOAD this, and set TRACE_IN to the word behind the
 * program's name that is meant, such as "session".
 *
 * TRACE=PATH   write down each call that changes a file or a name, the bytes included, one after the other
 * KILL=N       end the process by SIGKILL instead of the N-th of these calls
 *
 * A record is a line, "CALL DEVICE:INODE OFFSET LENGTH NAME", or for new names "CALL DEVICE:INODE 0 LENGTH NAME"
 * where NAME is the old one and LENGTH bytes of the new one follow; after a write its LENGTH bytes follow.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int is_meant, record = -1, due, calls;

__attribute__((constructor)) static void begin(int count, char **arguments) {
  const char *word = getenv("TRACE_IN"), *path = getenv("TRACE"), *number = getenv("KILL");
  is_meant = word && count > 1 && strcmp(arguments[1], word) == 0;
  if (!is_meant) return;
  due = number ? atoi(number) : 0;
  if (path) record = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_followed(int number) {
  struct stat status;
  return is_meant && fstat(number, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

static void count_call(void) {
  int call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  if (call == due) syscall(SYS_kill, getpid(), SIGKILL);
}

static void write_down(const char *call, int number, long offset, const void *bytes, long length, const char *name) {
  struct stat status = {0};
  char line[8192], path[4096] = "";
  if (record < 0) return;
  fstat(number, &status);
  if (!name) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", number);
    ssize_t got = readlink(link, path, sizeof path - 1);
    path[got > 0 ? got : 0] = 0;
    name = path;
  }
  int size = snprintf(line, sizeof line, "%s %ju:%ju %ld %ld %s\n", call, (uintmax_t)status.st_dev,
                      (uintmax_t)status.st_ino, offset, length, name);
  struct iovec parts[] = {{line, size}, {(void *)bytes, bytes ? length : 0}};
  syscall(SYS_writev, record, parts, 2);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
/* One at a time where they are written down, so that their order is the file's. */
#define BEGIN() (count_call(), record >= 0 ? pthread_mutex_lock(&turn) : 0)
#define END() (record >= 0 ? pthread_mutex_unlock(&turn) : 0)

ssize_t pwrite(int number, const void *bytes, size_t count, off_t offset) {
  if (!is_followed(number)) return REAL(pwrite)(number, bytes, count, offset);
  BEGIN();
  ssize_t done = REAL(pwrite)(number, bytes, count, offset);
  if (done > 0) write_down("pwrite", number, offset, bytes, done, NULL);
  END();
  return done;
}

ssize_t write(int number, const void *bytes, size_t count) {
  if (!is_followed(number)) return REAL(write)(number, bytes, count);
  BEGIN();
  ssize_t done = REAL(write)(number, bytes, count);
  /* Where an appending write went is known only after it. */
  if (done > 0) write_down("write", number, lseek(number, 0, SEEK_CUR) - done, bytes, done, NULL);
  END();
  return done;
}

#define ON_FILE(name, declared, passed, offset)                                                    \
  int name declared {                                                                              \
    if (!is_followed(number)) return REAL(name) passed;                                            \
    BEGIN();                                                                                       \
    int answer = REAL(name) passed;                                                                \
    if (answer == 0) write_down(#name, number, offset, NULL, 0, NULL);                             \
    END();                                                                                         \
    return answer;                                                                                 \
  }

ON_FILE(fsync, (int number), (number), 0)
ON_FILE(fdatasync, (int number), (number), 0)
ON_FILE(ftruncate, (int number, off_t length), (number, length), length)

#define ON_NAMES(name, declared, passed)                                                           \
  int name declared {                                                                              \
    if (!is_meant) return REAL(name) passed;                                                       \
    BEGIN();                                                                                       \
    int answer = REAL(name) passed;                                                                \
    if (answer == 0) write_down(#name, from, 0, new, strlen(new), old);                            \
    END();                                                                                         \
    return answer;                                                                                 \
  }

ON_NAMES(renameat, (int from, const char *old, int to, const char *new), (from, old, to, new))
ON_NAMES(renameat2, (int from, const char *old, int to, const char *new, unsigned flags), (from, old, to, new, flags))
ON_NAMES(linkat, (int from, const char *old, int to, const char *new, int flags), (from, old, to, new, flags))

int unlinkat(int from, const char *name, int flags) {
  if (!is_meant) return REAL(unlinkat)(from, name, flags);
  BEGIN();
  int answer = REAL(unlinkat)(from, name, flags);
  if (answer == 0) write_down("unlinkat", from, 0, NULL, 0, name);
  END();
  return answer;
}

int openat(int from, const char *name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  int mode = flags & O_CREAT ? va_arg(more, int) : 0;
  va_end(more);
  if (!is_meant || !(flags & O_CREAT)) return REAL(openat)(from, name, flags, mode);
  BEGIN();
  int number = REAL(openat)(from, name, flags, mode);
  if (number >= 0) write_down("openat", number, 0, NULL, 0, NULL);
  END();
  return number;
}
