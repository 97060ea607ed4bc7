/*
 * Shows the thread sanitizer how a Mutex changes hands: LD_PRELOAD this.
 *
 * Swift's Mutex is a futex. Whoever has to wait for it spins and sleeps in Swift's library, which is built without the
 * sanitizer, and may get it from the kernel; so the sanitizer sees no store that the next owner has read. These three
 * functions of the library tell it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

/* The sanitizer's own; missing in programs that are built without it, which a test starts. */
void __tsan_acquire(void *) __attribute__((weak));
void __tsan_release(void *) __attribute__((weak));

SWIFT void lock(uint32_t owner, SELF mutex) __asm__(LOCK);
SWIFT void lock(uint32_t owner, SELF mutex) {
  SWIFT void (*next)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
  next(owner, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try(SELF mutex) __asm__(TRY);
SWIFT bool try(SELF mutex) {
  SWIFT bool (*next)(SELF) = dlsym(RTLD_NEXT, TRY);
  bool locked = next(mutex);
  if (locked && __tsan_acquire) __tsan_acquire(mutex);
  return locked;
}

SWIFT void unlock(SELF mutex) __asm__(UNLOCK);
SWIFT void unlock(SELF mutex) {
  SWIFT void (*next)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release) __tsan_release(mutex);
  next(mutex);
}
