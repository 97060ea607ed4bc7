// A client that plays a sine of 1 kHz and records. The samples of the capture go to standard output.
#include <math.h>
#include <pipewire/pipewire.h>
#include <spa/param/audio/format-utils.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct pw_stream *player, *recorder;
static struct pw_core *core;
static double phase;

static void play(void *unused) {
  struct pw_buffer *buffer = pw_stream_dequeue_buffer(player);
  if (buffer == NULL) return;
  struct spa_data *data = &buffer->buffer->datas[0];
  uint32_t frames = data->maxsize / 8;
  if (buffer->requested && buffer->requested < frames) frames = buffer->requested;
  float *samples = data->data;
  for (uint32_t i = 0; i < frames; i++) {
    samples[2 * i] = samples[2 * i + 1] = 0.5 * sin(phase);
    phase = fmod(phase + 2 * M_PI * 1000 / 48000, 2 * M_PI);
  }
  data->chunk->offset = 0;
  data->chunk->stride = 8;
  data->chunk->size = frames * 8;
  pw_stream_queue_buffer(player, buffer);
}

static void record(void *unused) {
  struct pw_buffer *buffer = pw_stream_dequeue_buffer(recorder);
  if (buffer == NULL) return;
  struct spa_data *data = &buffer->buffer->datas[0];
  if (data->data && write(1, SPA_PTROFF(data->data, data->chunk->offset, void), data->chunk->size) < 0) exit(1);
  pw_stream_queue_buffer(recorder, buffer);
}

static const struct pw_stream_events playerEvents = {PW_VERSION_STREAM_EVENTS, .process = play};
static const struct pw_stream_events recorderEvents = {PW_VERSION_STREAM_EVENTS, .process = record};
static struct spa_hook hooks[2];

static struct pw_stream *stream(const char *category, enum spa_direction direction, enum spa_audio_format sample,
                                const struct pw_stream_events *events, struct spa_hook *hook) {
  struct pw_stream *stream = pw_stream_new(
      core, category, pw_properties_new(PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY, category, NULL));
  uint8_t bytes[1024];
  struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(bytes, sizeof bytes);
  struct spa_audio_info_raw format = SPA_AUDIO_INFO_RAW_INIT(.format = sample, .rate = 48000, .channels = 2,
                                                             .position = {SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR});
  const struct spa_pod *parameter = spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &format);
  pw_stream_add_listener(stream, hook, events, NULL);
  pw_stream_connect(stream, direction, PW_ID_ANY, PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS, &parameter, 1);
  return stream;
}

int main(void) {
  pw_init(NULL, NULL);
  struct pw_main_loop *loop = pw_main_loop_new(NULL);
  struct pw_context *context = pw_context_new(pw_main_loop_get_loop(loop), NULL, 0);
  core = pw_context_connect(context, NULL, 0);
  if (core == NULL) return 1;
  player = stream("Playback", SPA_DIRECTION_OUTPUT, SPA_AUDIO_FORMAT_F32, &playerEvents, &hooks[0]);
  recorder = stream("Capture", SPA_DIRECTION_INPUT, SPA_AUDIO_FORMAT_S16, &recorderEvents, &hooks[1]);
  pw_main_loop_run(loop);
}
