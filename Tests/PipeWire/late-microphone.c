// A silent microphone “late” for PipeWire that reports a delay of 480 frames.
#include <pipewire/filter.h>
#include <pipewire/pipewire.h>
#include <spa/param/latency-utils.h>

struct port {
  int unused;
};

int main(int count, char **words) {
  static const struct pw_filter_events events = {PW_VERSION_FILTER_EVENTS};
  pw_init(&count, &words);
  struct pw_main_loop *loop = pw_main_loop_new(NULL);
  struct pw_filter *filter = pw_filter_new_simple(
      pw_main_loop_get_loop(loop), "late",
      pw_properties_new(PW_KEY_NODE_NAME, "late", PW_KEY_MEDIA_CLASS, "Audio/Source", NULL), &events, NULL);
  if (filter == NULL) return 1;
  struct port *port = pw_filter_add_port(
      filter, PW_DIRECTION_OUTPUT, PW_FILTER_PORT_FLAG_MAP_BUFFERS, sizeof(struct port),
      pw_properties_new(
          PW_KEY_FORMAT_DSP, "32 bit float mono audio", PW_KEY_PORT_NAME, "capture_MONO",
          PW_KEY_AUDIO_CHANNEL, "MONO", NULL),
      NULL, 0);
  if (port == NULL || pw_filter_connect(filter, PW_FILTER_FLAG_RT_PROCESS, NULL, 0) < 0) return 1;
  uint8_t bytes[256];
  struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(bytes, sizeof bytes);
  const struct spa_latency_info latency = SPA_LATENCY_INFO(SPA_DIRECTION_OUTPUT, .min_rate = 480, .max_rate = 480);
  const struct spa_pod *parameter = spa_latency_build(&builder, SPA_PARAM_Latency, &latency);
  if (pw_filter_update_params(filter, port, &parameter, 1) < 0) return 1;
  return pw_main_loop_run(loop);
}
