/*
 * Reports to the thread sanitizer how a Mutex and the storage of an array pass from one thread to another: LD_PRELOAD
 * this.
 *
 * Swift's Mutex is a futex. A thread that waits for it spins and sleeps in Swift's library, and may get it from the
 * kernel. A thread that has a copy of an array reads the shared storage, and releases it. The owner changes the storage
 * in place if no copy is left, which it reads from the count of references. Swift's library is built without the
 * sanitizer, so the sanitizer does not see these steps. The functions below report them.
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

/* Functions of the sanitizer. Programs that a test starts are built without it, and do not have them. */
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

/* The next two are called often, so they look up the next function only once. */
void swift_release(void *object) {
  static void (*_Atomic next)(void *);
  if (!next) next = dlsym(RTLD_NEXT, "swift_release");
  /* A value below 1 is not an address, and Swift ignores it. */
  if (__tsan_release && (intptr_t)object > 0) __tsan_release(object);
  next(object);
}

bool swift_isUniquelyReferenced_nonNull_native(const void *object) {
  static bool (*_Atomic next)(const void *);
  if (!next) next = dlsym(RTLD_NEXT, "swift_isUniquelyReferenced_nonNull_native");
  bool unique = next(object);
  if (unique && __tsan_acquire) __tsan_acquire((void *)object);
  return unique;
}
