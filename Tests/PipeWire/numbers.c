// A source for PipeWire whose every frame holds the number of that frame by the server's clock, which is the
// monotonic one: the lower twelve bits on the left, the upper twelve on the right. Whoever records it can
// read from any two frames how much time lay between them, whatever happened to the server meanwhile.
// With an argument, the number is the count of the frames before it: a change of the server's cycles is no step then.
#include <math.h>
#include <pipewire/filter.h>
#include <pipewire/pipewire.h>

struct port {
  int unused;
};

static struct port *ports[2];
static int counts;
static uint64_t next_frame;

static float sample(uint64_t number) { return ((int)(number & 4095) - 2048) / 2048.0f; }

static void process(void *data, struct spa_io_position *position) {
  (void)data;
  const struct spa_io_clock *clock = &position->clock;
  const uint64_t first = counts ? next_frame : (uint64_t)llround(clock->nsec * (clock->rate.denom / 1e9));
  next_frame += clock->duration;
  for (int side = 0; side < 2; side++) {
    float *samples = pw_filter_get_dsp_buffer(ports[side], clock->duration);
    if (samples == NULL) continue;
    for (uint64_t frame = 0; frame < clock->duration; frame++)
      samples[frame] = sample((first + frame) >> (12 * side));
  }
}

static struct port *port(struct pw_filter *filter, const char *name) {
  return pw_filter_add_port(
      filter, PW_DIRECTION_OUTPUT, PW_FILTER_PORT_FLAG_MAP_BUFFERS, sizeof(struct port),
      pw_properties_new(PW_KEY_FORMAT_DSP, "32 bit float mono audio", PW_KEY_PORT_NAME, name, NULL),
      NULL, 0);
}

int main(int count, char **words) {
  static const struct pw_filter_events events = {PW_VERSION_FILTER_EVENTS, .process = process};
  counts = count > 1;
  pw_init(&count, &words);
  struct pw_main_loop *loop = pw_main_loop_new(NULL);
  struct pw_filter *filter = pw_filter_new_simple(
      pw_main_loop_get_loop(loop), "numbers",
      pw_properties_new(PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_ROLE, "DSP", NULL), &events, NULL);
  if (filter == NULL) return 1;
  ports[0] = port(filter, "FL");
  ports[1] = port(filter, "FR");
  if (pw_filter_connect(filter, PW_FILTER_FLAG_RT_PROCESS, NULL, 0) < 0) return 1;
  return pw_main_loop_run(loop);
}
