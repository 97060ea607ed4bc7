#pragma once
#include <FLAC/stream_decoder.h>
#include <dlfcn.h>
#include <ogg/ogg.h>
#include <sndfile.h>

/* The functions that this program calls, without their common prefixes. */
#define SNDFILE_FUNCTIONS(F) \
  F(open_virtual) F(close) F(error) F(error_number) F(command) F(seek) F(read_raw) F(readf_int) F(readf_float) \
  F(write_short) F(write_int) F(write_float) F(get_string) F(set_string)
#define FLAC_FUNCTIONS(F) \
  F(new) F(delete) F(init_stream) F(process_until_end_of_metadata) F(process_single) F(get_state) \
  F(get_decode_position)
#define OGG_FUNCTIONS(F) \
  F(sync_init) F(sync_clear) F(sync_reset) F(sync_buffer) F(sync_wrote) F(sync_pageseek) F(page_checksum_set)

struct sndfile_functions {
#define MEMBER(name) __typeof__(sf_##name) *name;
  SNDFILE_FUNCTIONS(MEMBER)
#undef MEMBER
#define MEMBER(name) __typeof__(FLAC__stream_decoder_##name) *flac_##name;
  FLAC_FUNCTIONS(MEMBER)
#undef MEMBER
#define MEMBER(name) __typeof__(ogg_##name) *ogg_##name;
  OGG_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* Loads libsndfile, which also loads libFLAC and libogg. dlsym also searches these two libraries, so their version does
   not matter. Returns the reason of a failure, or null. */
static inline const char *load_sndfile(struct sndfile_functions *functions) {
  void *library = dlopen("libsndfile.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
#define FIND(name) \
  if (!(functions->name = (__typeof__(functions->name))dlsym(library, "sf_" #name))) return dlerror();
  SNDFILE_FUNCTIONS(FIND)
#undef FIND
#define FIND(name) \
  if (!(functions->flac_##name = (__typeof__(functions->flac_##name))dlsym(library, "FLAC__stream_decoder_" #name))) \
    return dlerror();
  FLAC_FUNCTIONS(FIND)
#undef FIND
#define FIND(name) \
  if (!(functions->ogg_##name = (__typeof__(functions->ogg_##name))dlsym(library, "ogg_" #name))) return dlerror();
  OGG_FUNCTIONS(FIND)
#undef FIND
  return 0;
}
