// A client that plays a sine of 1 kHz and records: duplex [SOURCE PORT PREFIX]
// The samples of the capture go to standard output. With an argument, the client links itself to this node as fast as
// it can: at each event of the registry it asks for a link from every port of the node to every port of its own.
#include <math.h>
#include <pipewire/pipewire.h>
#include <spa/param/audio/format-utils.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct pw_stream *player, *recorder;
static struct pw_core *core;
static struct pw_registry *registry;
static const char *target;
static uint32_t targetNode = SPA_ID_INVALID;
static struct {
  uint32_t id, node;
  int isInput;
} ports[1024];
static int portCount, attempts;
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

static void attack(void) {
  uint32_t own = pw_stream_get_node_id(recorder);
  for (int output = 0; output < portCount; output++)
    for (int input = 0; input < portCount; input++) {
      if (ports[output].isInput || ports[output].node != targetNode) continue;
      if (!ports[input].isInput || ports[input].node != own || attempts > 100000) continue;
      char numbers[4][16];
      sprintf(numbers[0], "%u", ports[output].node);
      sprintf(numbers[1], "%u", ports[output].id);
      sprintf(numbers[2], "%u", ports[input].node);
      sprintf(numbers[3], "%u", ports[input].id);
      struct pw_properties *properties = pw_properties_new(
          PW_KEY_LINK_OUTPUT_NODE, numbers[0], PW_KEY_LINK_OUTPUT_PORT, numbers[1], PW_KEY_LINK_INPUT_NODE, numbers[2],
          PW_KEY_LINK_INPUT_PORT, numbers[3], PW_KEY_OBJECT_LINGER, "true", NULL);
      attempts++;
      pw_core_create_object(core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK, &properties->dict, 0);
      pw_properties_free(properties);
    }
}

static void appeared(void *unused, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                     const struct spa_dict *properties) {
  const char *name, *node, *direction;
  if (properties == NULL || target == NULL) return;
  if (strcmp(type, PW_TYPE_INTERFACE_Node) == 0) {
    name = spa_dict_lookup(properties, PW_KEY_NODE_NAME);
    if (name && strcmp(name, target) == 0) targetNode = id;
  }
  if (strcmp(type, PW_TYPE_INTERFACE_Port) == 0 && portCount < 1024) {
    node = spa_dict_lookup(properties, PW_KEY_NODE_ID);
    direction = spa_dict_lookup(properties, PW_KEY_PORT_DIRECTION);
    if (node == NULL || direction == NULL) return;
    ports[portCount].id = id;
    ports[portCount].node = atoi(node);
    ports[portCount++].isInput = strcmp(direction, "in") == 0;
  }
  attack();
}

static const struct pw_stream_events playerEvents = {PW_VERSION_STREAM_EVENTS, .process = play};
static const struct pw_stream_events recorderEvents = {PW_VERSION_STREAM_EVENTS, .process = record};
static const struct pw_registry_events registryEvents = {PW_VERSION_REGISTRY_EVENTS, .global = appeared};
static struct spa_hook hooks[3];

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

int main(int count, char **arguments) {
  pw_init(NULL, NULL);
  target = count > 1 ? arguments[1] : NULL;
  struct pw_main_loop *loop = pw_main_loop_new(NULL);
  struct pw_context *context = pw_context_new(pw_main_loop_get_loop(loop), NULL, 0);
  core = pw_context_connect(context, NULL, 0);
  if (core == NULL) return 1;
  registry = pw_core_get_registry(core, PW_VERSION_REGISTRY, 0);
  pw_registry_add_listener(registry, &hooks[2], &registryEvents, NULL);
  player = stream("Playback", SPA_DIRECTION_OUTPUT, SPA_AUDIO_FORMAT_F32, &playerEvents, &hooks[0]);
  recorder = stream("Capture", SPA_DIRECTION_INPUT, SPA_AUDIO_FORMAT_S16, &recorderEvents, &hooks[1]);
  pw_main_loop_run(loop);
}
