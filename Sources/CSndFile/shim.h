#pragma once
#include <dlfcn.h>
#include <sndfile.h>

/* What is called of the library. */
struct sndfile_functions {
  __typeof__(sf_open_virtual) *open_virtual;
  __typeof__(sf_close) *close;
  __typeof__(sf_error) *error;
  __typeof__(sf_error_number) *error_number;
  __typeof__(sf_command) *command;
  __typeof__(sf_seek) *seek;
  __typeof__(sf_read_raw) *read_raw;
  __typeof__(sf_readf_int) *readf_int;
  __typeof__(sf_readf_float) *readf_float;
  __typeof__(sf_write_raw) *write_raw;
  __typeof__(sf_write_short) *write_short;
  __typeof__(sf_write_int) *write_int;
  __typeof__(sf_write_float) *write_float;
  __typeof__(sf_get_string) *get_string;
  __typeof__(sf_set_string) *set_string;
};

/* Loads the library; returns why it cannot, or null. */
static inline const char *load_sndfile(struct sndfile_functions *functions) {
  void *library = dlopen("libsndfile.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
#define FIND(name) \
  if (!(functions->name = (__typeof__(functions->name))dlsym(library, "sf_" #name))) return dlerror()
  FIND(open_virtual);
  FIND(close);
  FIND(error);
  FIND(error_number);
  FIND(command);
  FIND(seek);
  FIND(read_raw);
  FIND(readf_int);
  FIND(readf_float);
  FIND(write_raw);
  FIND(write_short);
  FIND(write_int);
  FIND(write_float);
  FIND(get_string);
  FIND(set_string);
#undef FIND
  return 0;
}
