#pragma once
#include <dlfcn.h>
#include <soxr.h>

/* The functions of the library that this program calls. */
struct soxr_functions {
  __typeof__(soxr_create) *create;
  __typeof__(soxr_delete) *destroy;
  __typeof__(soxr_process) *process;
  __typeof__(soxr_quality_spec) *quality_spec;
};

/* Loads the library. Returns the reason of a failure, or null. */
static inline const char *load_soxr(struct soxr_functions *functions) {
  void *library = dlopen("libsoxr.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
#define FIND(member, name) \
  if (!(functions->member = (__typeof__(functions->member))dlsym(library, #name))) return dlerror()
  FIND(create, soxr_create);
  FIND(destroy, soxr_delete);
  FIND(process, soxr_process);
  FIND(quality_spec, soxr_quality_spec);
#undef FIND
  return 0;
}
