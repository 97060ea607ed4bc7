#pragma once
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* The part of libpipewire's binary interface that this program uses. PipeWire's headers can be found only with
   pkg-config, but pkg-config would also link the library into every program. So the structures are declared here. A
   test compares them with the installed headers. */

struct pipewire_callbacks {
  const void *functions;
  void *data;
};

/* The first members of every object. */
struct pipewire_interface {
  const char *type;
  uint32_t version;
  struct pipewire_callbacks callbacks;
};

/* The registration of callbacks with an object. The structure must stay in memory until the registration ends. */
struct pipewire_hook {
  void *links[2];
  struct pipewire_callbacks callbacks;
  void (*removed)(struct pipewire_hook *hook);
  void *owner;
};

struct pipewire_item {
  const char *key;
  const char *value;
};

struct pipewire_dictionary {
  uint32_t flags;
  uint32_t count;
  const struct pipewire_item *items;
};

struct pipewire_core_info {
  uint32_t id;
  /* A random number that identifies the running server. */
  uint32_t cookie;
};

struct pipewire_client_info {
  uint32_t id;
  uint64_t changes;
  const struct pipewire_dictionary *properties;
};

struct pipewire_node_info {
  uint32_t id;
  uint32_t most_ports[2];
  uint64_t changes;
  uint32_t ports[2];
  int state;
  const char *error;
  const struct pipewire_dictionary *properties;
};

struct pipewire_link_info {
  uint32_t id;
  uint32_t nodes_and_ports[4];
  uint64_t changes;
  int state;
};

/* The clock of a cycle. PipeWire's structure continues after these members. */
struct pipewire_clock {
  uint32_t flags;
  uint32_t id;
  char name[64];
  uint64_t nanoseconds;
  uint32_t rate_numerator;
  uint32_t rate;
  uint64_t position;
  uint64_t duration;
};

/* Callbacks. A callback that is null is not called. */
struct pipewire_core_events {
  uint32_t version;
  void (*info)(void *data, const struct pipewire_core_info *info);
  void (*done)(void *data, uint32_t id, int sequence);
  void (*ping)(void *data, uint32_t id, int sequence);
  void (*error)(void *data, uint32_t id, int sequence, int result, const char *message);
  void (*remove_id)(void *data, uint32_t id);
  void (*bound_id)(void *data, uint32_t id, uint32_t global);
  void (*add_mem)(void *data, uint32_t id, uint32_t type, int descriptor, uint32_t flags);
  void (*remove_mem)(void *data, uint32_t id);
};

struct pipewire_registry_events {
  uint32_t version;
  void (*global)(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                 const struct pipewire_dictionary *properties);
  void (*global_remove)(void *data, uint32_t id);
};

struct pipewire_metadata_events {
  uint32_t version;
  int (*property)(void *data, uint32_t subject, const char *key, const char *type, const char *value);
};

struct pipewire_client_events {
  uint32_t version;
  void (*info)(void *data, const struct pipewire_client_info *info);
  void (*permissions)(void *data, uint32_t index, uint32_t count, const void *permissions);
};

struct pipewire_node_events {
  uint32_t version;
  void (*info)(void *data, const struct pipewire_node_info *info);
  void (*param)(void *data, int sequence, uint32_t id, uint32_t index, uint32_t next, const void *param);
};

enum { pipewire_node_has_new_properties = 1 << 3 };

struct pipewire_link_events {
  uint32_t version;
  void (*info)(void *data, const struct pipewire_link_info *info);
};

enum { pipewire_link_active = 4 };

struct pipewire_port_events {
  uint32_t version;
  void (*info)(void *data, const void *info);
  void (*param)(void *data, int sequence, uint32_t id, uint32_t index, uint32_t next, const void *param);
};

/* Numbers of the binary format of parameters. A parameter begins with the size of its body, followed by its type. */
enum {
  pipewire_latency = 15,
  pipewire_object_latency = 0x4000b,
  pipewire_type_id = 3,
  pipewire_type_int = 4,
  pipewire_type_long = 5,
  pipewire_type_float = 6,
  pipewire_type_object = 15,
};

/* Events of every object that this program has created or bound. */
struct pipewire_proxy_events {
  uint32_t version;
  void (*destroy)(void *data);
  void (*bound)(void *data, uint32_t global);
  void (*removed)(void *data);
  void (*done)(void *data, int sequence);
  void (*error)(void *data, int sequence, int result, const char *message);
};

struct pipewire_filter_events {
  uint32_t version;
  void (*destroy)(void *data);
  void (*state_changed)(void *data, int former, int state, const char *error);
  void (*io_changed)(void *data, void *port, uint32_t id, void *area, uint32_t size);
  void (*param_changed)(void *data, void *port, uint32_t id, const void *param);
  void (*add_buffer)(void *data, void *port, void *buffer);
  void (*remove_buffer)(void *data, void *port, void *buffer);
  void (*process)(void *data, const struct pipewire_clock *clock);
  void (*drained)(void *data);
  void (*command)(void *data, const void *command);
};

enum { pipewire_filter_failed = -1, pipewire_filter_real_time = 1 << 2, pipewire_port_maps_buffers = 1 << 0 };

/* Methods. The first method of every object is add_listener. */
struct pipewire_core_methods {
  uint32_t version;
  int (*add_listener)(void *object, struct pipewire_hook *hook, const void *events, void *data);
  int (*hello)(void *object, uint32_t version);
  int (*sync)(void *object, uint32_t id, int sequence);
  int (*pong)(void *object, uint32_t id, int sequence);
  int (*error)(void *object, uint32_t id, int sequence, int result, const char *message);
  void *(*get_registry)(void *object, uint32_t version, size_t user_data);
  void *(*create_object)(void *object, const char *factory, const char *type, uint32_t version,
                         const struct pipewire_dictionary *properties, size_t user_data);
  int (*destroy)(void *object, void *proxy);
};

struct pipewire_registry_methods {
  uint32_t version;
  int (*add_listener)(void *object, struct pipewire_hook *hook, const void *events, void *data);
  void *(*bind)(void *object, uint32_t id, const char *type, uint32_t version, size_t user_data);
  int (*destroy)(void *object, uint32_t id);
};

struct pipewire_port_methods {
  uint32_t version;
  int (*add_listener)(void *object, struct pipewire_hook *hook, const void *events, void *data);
  int (*subscribe_params)(void *object, uint32_t *parameters, uint32_t count);
};

struct pipewire_metadata_methods {
  uint32_t version;
  int (*add_listener)(void *object, struct pipewire_hook *hook, const void *events, void *data);
  int (*set_property)(void *object, uint32_t subject, const char *key, const char *type, const char *value);
};

/* The first members of a loop. */
struct pipewire_loop {
  void *system;
  void *loop;
  void *control;
  struct pipewire_interface *utilities;
};

struct pipewire_loop_methods {
  uint32_t version;
  void (*others[6])(void);
  void *(*add_timer)(void *object, void (*ring)(void *data, uint64_t count), void *data);
  int (*update_timer)(void *object, void *timer, struct timespec *value, struct timespec *interval, bool absolute);
};

static inline const struct pipewire_callbacks *pipewire_methods(void *object) {
  return &((struct pipewire_interface *)object)->callbacks;
}

static inline int pipewire_listen(void *object, struct pipewire_hook *hook, const void *events, void *data) {
  const struct pipewire_callbacks *methods = pipewire_methods(object);
  return ((const struct pipewire_core_methods *)methods->functions)->add_listener(methods->data, hook, events, data);
}

static inline int pipewire_sync(void *core, int sequence) {
  const struct pipewire_callbacks *methods = pipewire_methods(core);
  return ((const struct pipewire_core_methods *)methods->functions)->sync(methods->data, 0, sequence);
}

static inline void *pipewire_registry(void *core) {
  const struct pipewire_callbacks *methods = pipewire_methods(core);
  return ((const struct pipewire_core_methods *)methods->functions)->get_registry(methods->data, 3, 0);
}

static inline void *pipewire_create_link(void *core, const struct pipewire_dictionary *properties) {
  const struct pipewire_callbacks *methods = pipewire_methods(core);
  return ((const struct pipewire_core_methods *)methods->functions)
      ->create_object(methods->data, "link-factory", "PipeWire:Interface:Link", 3, properties, 0);
}

/* Ends the callbacks of a hook whose object still exists. */
static inline void pipewire_unhook(struct pipewire_hook *hook) {
  void **next = hook->links[0], **previous = hook->links[1];
  if (!next) return;
  next[1] = previous;
  previous[0] = next;
  hook->links[0] = hook->links[1] = NULL;
}

/* Removes an object from the server. The object's proxy in this program remains. */
static inline int pipewire_destroy(void *core, void *proxy) {
  const struct pipewire_callbacks *methods = pipewire_methods(core);
  return ((const struct pipewire_core_methods *)methods->functions)->destroy(methods->data, proxy);
}

static inline void *pipewire_bind(void *registry, uint32_t id, const char *type) {
  const struct pipewire_callbacks *methods = pipewire_methods(registry);
  return ((const struct pipewire_registry_methods *)methods->functions)->bind(methods->data, id, type, 3, 0);
}

/* Removes an object from the server. The object may belong to any program. */
static inline int pipewire_remove(void *registry, uint32_t id) {
  const struct pipewire_callbacks *methods = pipewire_methods(registry);
  return ((const struct pipewire_registry_methods *)methods->functions)->destroy(methods->data, id);
}

/* Requests the current value and all later values of a port's parameter. */
static inline int pipewire_subscribe(void *port, uint32_t parameter) {
  const struct pipewire_callbacks *methods = pipewire_methods(port);
  return ((const struct pipewire_port_methods *)methods->functions)->subscribe_params(methods->data, &parameter, 1);
}

/* Changes a value of a metadata object, or removes the value if `value` is null. */
static inline int pipewire_set_value(void *metadata, uint32_t subject, const char *key, const char *value) {
  const struct pipewire_callbacks *methods = pipewire_methods(metadata);
  return ((const struct pipewire_metadata_methods *)methods->functions)
      ->set_property(methods->data, subject, key, NULL, value);
}

/* Creates a timer. It exists as long as the loop. */
static inline void *pipewire_add_timer(void *loop, void (*ring)(void *data, uint64_t count), void *data) {
  const struct pipewire_callbacks *methods = pipewire_methods(((struct pipewire_loop *)loop)->utilities);
  return ((const struct pipewire_loop_methods *)methods->functions)->add_timer(methods->data, ring, data);
}

/* Sets a timer to fire once after this time. 0 stops the timer. */
static inline int pipewire_set_timer(void *loop, void *timer, int64_t nanoseconds) {
  struct timespec value = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  const struct pipewire_callbacks *methods = pipewire_methods(((struct pipewire_loop *)loop)->utilities);
  return ((const struct pipewire_loop_methods *)methods->functions)
      ->update_timer(methods->data, timer, &value, NULL, false);
}

/* The structures of a plugin that contains an echo canceller. */
struct pipewire_plugin {
  uint32_t version;
  int (*get_interface)(struct pipewire_plugin *plugin, const char *type, void **interface);
  int (*clear)(struct pipewire_plugin *plugin);
};

/* The number of positions depends on the version of PipeWire. A plugin reads only the positions of its own version. */
struct pipewire_raw_format {
  uint32_t format;
  uint32_t flags;
  uint32_t rate;
  uint32_t channels;
  uint32_t positions[256];
};

struct pipewire_canceller_methods {
  uint32_t version;
  int (*add_listener)(void *object, struct pipewire_hook *hook, const void *events, void *data);
  int (*init)(void *object, const struct pipewire_dictionary *options, const struct pipewire_raw_format *format);
  int (*run)(void *object, const float *recorded[], const float *played[], float *output[], uint32_t frames);
};

/* Returns the echo canceller of a plugin, or null. */
static inline void *pipewire_canceller(struct pipewire_plugin *plugin) {
  void *found = NULL;
  return plugin->get_interface(plugin, "Spa:Pointer:Interface:Audio:AEC", &found) < 0 ? NULL : found;
}

static inline int pipewire_start_canceller(void *canceller, const struct pipewire_dictionary *options, uint32_t rate,
                                           uint32_t channels) {
  const struct pipewire_raw_format format = {.rate = rate, .channels = channels};
  const struct pipewire_callbacks *methods = pipewire_methods(canceller);
  return ((const struct pipewire_canceller_methods *)methods->functions)->init(methods->data, options, &format);
}

/* Processes one block. `inputs` has the recorded channels, followed by the same number of played channels. Each channel
   has `frames` samples. */
static inline int pipewire_cancel(void *canceller, float *inputs, float *output, uint32_t channels, uint32_t frames) {
  const float *recorded[channels], *played[channels];
  float *results[channels];
  for (uint32_t channel = 0; channel < channels; channel++) {
    recorded[channel] = inputs + channel * frames;
    played[channel] = inputs + (channels + channel) * frames;
    results[channel] = output + channel * frames;
  }
  const struct pipewire_callbacks *methods = pipewire_methods(canceller);
  return ((const struct pipewire_canceller_methods *)methods->functions)
      ->run(methods->data, recorded, played, results, frames);
}

/* The functions that this program calls, without their common prefix `pw_`. */
#define PIPEWIRE_FUNCTIONS(F) \
  F(void, init, (int *count, char ***arguments)) \
  F(void, log_set_level, (int level)) \
  F(void *, properties_new_dict, (const struct pipewire_dictionary *items)) \
  F(void *, thread_loop_new, (const char *name, const struct pipewire_dictionary *properties)) \
  F(void, thread_loop_destroy, (void *loop)) \
  F(void *, thread_loop_get_loop, (void *loop)) \
  F(int, thread_loop_start, (void *loop)) \
  F(void, thread_loop_stop, (void *loop)) \
  F(void, thread_loop_lock, (void *loop)) \
  F(void, thread_loop_unlock, (void *loop)) \
  F(void *, context_new, (void *loop, void *properties, size_t user_data)) \
  F(void, context_destroy, (void *context)) \
  F(void *, context_connect, (void *context, void *properties, size_t user_data)) \
  F(int, core_disconnect, (void *core)) \
  F(void, proxy_destroy, (void *proxy)) \
  F(void, proxy_add_listener, \
    (void *proxy, struct pipewire_hook *hook, const struct pipewire_proxy_events *events, void *data)) \
  F(void *, filter_new, (void *core, const char *name, void *properties)) \
  F(void, filter_destroy, (void *filter)) \
  F(void, filter_add_listener, \
    (void *filter, struct pipewire_hook *hook, const struct pipewire_filter_events *events, void *data)) \
  F(int, filter_connect, (void *filter, int flags, const void **parameters, uint32_t count)) \
  F(uint32_t, filter_get_node_id, (void *filter)) \
  F(void *, filter_add_port, \
    (void *filter, int direction, int flags, size_t data, void *properties, const void **parameters, uint32_t count)) \
  F(void *, filter_get_dsp_buffer, (void *port, uint32_t frames)) \
  F(struct pipewire_plugin *, load_spa_handle, \
    (const char *library, const char *factory, const struct pipewire_dictionary *properties, uint32_t count, \
     const void *support)) \
  F(int, unload_spa_handle, (struct pipewire_plugin *plugin))

struct pipewire_functions {
#define MEMBER(result, name, arguments) result(*name) arguments;
  PIPEWIRE_FUNCTIONS(MEMBER)
#undef MEMBER
};

enum { pipewire_loaded, pipewire_missing, pipewire_too_old };

/* Loads the library. Returns pipewire_too_old if the library lacks a function. */
static inline int load_pipewire(struct pipewire_functions *functions) {
  void *library = dlopen("libpipewire-0.3.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return pipewire_missing;
#define FIND(result, name, arguments) \
  if (!(functions->name = (__typeof__(functions->name))dlsym(library, "pw_" #name))) return pipewire_too_old;
  PIPEWIRE_FUNCTIONS(FIND)
#undef FIND
  return pipewire_loaded;
}
