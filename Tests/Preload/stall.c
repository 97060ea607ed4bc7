/*
 * Makes a disk stand still, for tests: LD_PRELOAD this and set STALL to a path. While a file is there, whatever is
 * to be written to another regular file, or brought to the disk, waits.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void wait_for_disk(int number) {
  struct stat status;
  const char *path = getenv("STALL");
  if (fstat(number, &status) != 0 || !S_ISREG(status.st_mode)) return;
  while (path && access(path, F_OK) == 0) usleep(10000);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite(int number, const void *bytes, size_t count, off_t offset) {
  wait_for_disk(number);
  return REAL(pwrite)(number, bytes, count, offset);
}

int fdatasync(int number) {
  wait_for_disk(number);
  return REAL(fdatasync)(number);
}
