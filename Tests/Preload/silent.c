/*
 * Makes ALSA's device "null" one that delivers nothing, for tests: LD_PRELOAD this and set SILENT to
 * "open" or "read" for a device that never comes back from there, or to "again" for one that has nothing yet.
 */
#define _GNU_SOURCE
#include <alsa/asoundlib.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is(const char *what) {
  const char *setting = getenv("SILENT");
  return setting && strcmp(setting, what) == 0;
}

int snd_pcm_open(snd_pcm_t **pcm, const char *name, snd_pcm_stream_t stream, int mode) {
  while (is("open")) pause();
  int (*real)(snd_pcm_t **, const char *, snd_pcm_stream_t, int) = dlsym(RTLD_NEXT, "snd_pcm_open");
  return real(pcm, name, stream, mode);
}

snd_pcm_sframes_t snd_pcm_readi(snd_pcm_t *pcm, void *buffer, snd_pcm_uframes_t size) {
  (void)pcm, (void)buffer, (void)size;
  while (is("read")) pause();
  return -EAGAIN;
}
