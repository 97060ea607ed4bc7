#pragma once
#include <dlfcn.h>
#include <zlib.h>

/* The functions of the library that this program calls. */
struct zlib_functions {
  __typeof__(compressBound) *compressBound;
  __typeof__(compress2) *compress2;
  __typeof__(crc32) *crc32;
};

/* Loads the library. Returns the reason of a failure, or null. */
static inline const char *load_zlib(struct zlib_functions *functions) {
  void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
#define FIND(name) \
  if (!(functions->name = (__typeof__(functions->name))dlsym(library, #name))) return dlerror()
  FIND(compressBound);
  FIND(compress2);
  FIND(crc32);
#undef FIND
  return 0;
}
