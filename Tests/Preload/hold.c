/*
 * Holds a program up, for tests: LD_PRELOAD this and set HOLD to where.
 *
 * "open" and "read": ALSA's device "null" never comes back from there. "again": it never has anything yet.
 * "later": it has nothing more after 20 reads. "sync": fsync takes a second.
 */
#define _GNU_SOURCE
#include <alsa/asoundlib.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int holds(const char *what) {
  const char *setting = getenv("HOLD");
  return setting && strcmp(setting, what) == 0;
}

int snd_pcm_open(snd_pcm_t **pcm, const char *name, snd_pcm_stream_t stream, int mode) {
  while (holds("open")) pause();
  int (*real)(snd_pcm_t **, const char *, snd_pcm_stream_t, int) = dlsym(RTLD_NEXT, "snd_pcm_open");
  return real(pcm, name, stream, mode);
}

snd_pcm_sframes_t snd_pcm_readi(snd_pcm_t *pcm, void *buffer, snd_pcm_uframes_t size) {
  while (holds("read")) pause();
  static int reads;
  if (holds("again") || (holds("later") && reads++ >= 20)) return -EAGAIN;
  snd_pcm_sframes_t (*real)(snd_pcm_t *, void *, snd_pcm_uframes_t) = dlsym(RTLD_NEXT, "snd_pcm_readi");
  return real(pcm, buffer, size);
}

int fsync(int number) {
  if (holds("sync")) sleep(1);
  int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
  return real(number);
}
