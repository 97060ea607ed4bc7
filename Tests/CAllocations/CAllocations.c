#include "CAllocations.h"

#include <errno.h>
#include <stddef.h>

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) \
    || __has_feature(memory_sanitizer)

long allocations_of_this_thread(void) { return -1; }

#else

/* The test program's own malloc stands before glibc's for all its libraries, ALSA's among them. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static __thread long count;

long allocations_of_this_thread(void) { return count; }

void *malloc(size_t size) {
  count++;
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count++;
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  count++;
  return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **made, size_t alignment, size_t size) {
  count++;
  *made = __libc_memalign(alignment, size);
  return *made ? 0 : ENOMEM;
}

#endif
