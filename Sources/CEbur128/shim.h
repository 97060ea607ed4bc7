#pragma once
#include <dlfcn.h>
#include <ebur128.h>

/* The functions of the library that this program calls. */
struct ebur128_functions {
  __typeof__(ebur128_init) *init;
  __typeof__(ebur128_set_channel) *set_channel;
  __typeof__(ebur128_destroy) *destroy;
  __typeof__(ebur128_add_frames_float) *add_frames_float;
  __typeof__(ebur128_loudness_global) *loudness_global;
  __typeof__(ebur128_loudness_range) *loudness_range;
};

/* Loads the library. Returns the reason of a failure, or null. */
static inline const char *load_ebur128(struct ebur128_functions *functions) {
  void *library = dlopen("libebur128.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
#define FIND(name) \
  if (!(functions->name = (__typeof__(functions->name))dlsym(library, "ebur128_" #name))) return dlerror()
  FIND(init);
  FIND(set_channel);
  FIND(destroy);
  FIND(add_frames_float);
  FIND(loudness_global);
  FIND(loudness_range);
#undef FIND
  return 0;
}
