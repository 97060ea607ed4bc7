#pragma once
#include <dlfcn.h>
#include <stdint.h>

/* The part of sd-bus that this program uses. It is declared here, so that the package builds without libsystemd's
   headers. */

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;

struct bus_error {
  const char *name;
  const char *message;
  int is_allocated;
};

/* The functions that this program calls, without their common prefix `sd_bus_`. */
#define BUS_FUNCTIONS(F) \
  F(int, open_user, (sd_bus **bus)) \
  F(sd_bus *, close_unref, (sd_bus *bus)) \
  F(int, get_fd, (sd_bus *bus)) \
  F(int, get_events, (sd_bus *bus)) \
  F(int, process, (sd_bus *bus, sd_bus_message **message)) \
  F(int, send, (sd_bus *bus, sd_bus_message *message, uint64_t *number)) \
  F(int, message_new_method_call, (sd_bus *bus, sd_bus_message **message, const char *destination, const char *path, \
                                   const char *interface, const char *member)) \
  F(int, message_append_basic, (sd_bus_message *message, char type, const void *value)) \
  F(int, message_open_container, (sd_bus_message *message, char type, const char *contents)) \
  F(int, message_close_container, (sd_bus_message *message)) \
  F(sd_bus_message *, message_unref, (sd_bus_message *message)) \
  F(int, message_peek_type, (sd_bus_message *message, char *type, const char **contents)) \
  F(int, message_read_basic, (sd_bus_message *message, char type, void *value)) \
  F(int, message_enter_container, (sd_bus_message *message, char type, const char *contents)) \
  F(int, message_exit_container, (sd_bus_message *message)) \
  F(int, message_is_signal, (sd_bus_message *message, const char *interface, const char *member)) \
  F(int, message_get_reply_cookie, (sd_bus_message *message, uint64_t *number)) \
  F(const struct bus_error *, message_get_error, (sd_bus_message *message)) \
  F(const char *, message_get_interface, (sd_bus_message *message)) \
  F(const char *, message_get_member, (sd_bus_message *message)) \
  F(const char *, message_get_sender, (sd_bus_message *message))

struct bus_functions {
#define MEMBER(result, name, arguments) result(*name) arguments;
  BUS_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* Loads the library. Returns the reason of a failure, or null. */
static inline const char *load_bus(struct bus_functions *functions) {
  void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
#define FIND(result, name, arguments) \
  if (!(functions->name = (__typeof__(functions->name))dlsym(library, "sd_bus_" #name))) return dlerror();
  BUS_FUNCTIONS(FIND)
#undef FIND
  return 0;
}
