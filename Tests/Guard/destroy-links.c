// Destroys each link from a node as soon as it appears, or later: destroy-links NODE MILLISECONDS. Measures what a guard
// achieves on a server that does not check links.
#include <pipewire/pipewire.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct pw_registry *registry;
static const char *target;
static int delay;
static uint32_t targetNode = SPA_ID_INVALID;

static void appeared(void *unused, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                     const struct spa_dict *properties) {
  if (properties == NULL) return;
  const char *name = spa_dict_lookup(properties, PW_KEY_NODE_NAME);
  const char *output = spa_dict_lookup(properties, PW_KEY_LINK_OUTPUT_NODE);
  if (strcmp(type, PW_TYPE_INTERFACE_Node) == 0 && name && strcmp(name, target) == 0) targetNode = id;
  if (strcmp(type, PW_TYPE_INTERFACE_Link) == 0 && output && (uint32_t)atoi(output) == targetNode) {
    usleep(delay * 1000);
    pw_registry_destroy(registry, id);
  }
}

static const struct pw_registry_events events = {PW_VERSION_REGISTRY_EVENTS, .global = appeared};

int main(int count, char **arguments) {
  struct spa_hook hook = {0};
  pw_init(NULL, NULL);
  target = arguments[1];
  delay = atoi(arguments[2]);
  struct pw_main_loop *loop = pw_main_loop_new(NULL);
  struct pw_core *core = pw_context_connect(pw_context_new(pw_main_loop_get_loop(loop), NULL, 0), NULL, 0);
  if (core == NULL) return 1;
  registry = pw_core_get_registry(core, PW_VERSION_REGISTRY, 0);
  pw_registry_add_listener(registry, &hook, &events, NULL);
  pw_main_loop_run(loop);
}
