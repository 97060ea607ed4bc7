#pragma once
#include <alsa/asoundlib.h>

/* The error handler is variadic, which Swift cannot write. */
static void recorder_alsa_ignore(const char *file, int line, const char *function, int code,
                                 const char *format, ...) {}
static inline void recorder_alsa_silence(void) { snd_lib_error_set_handler(recorder_alsa_ignore); }
