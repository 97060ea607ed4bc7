#pragma once
#include <dlfcn.h>
#include <systemd/sd-bus.h>

/* The functions that are called, without their common prefix. */
#define BUS_FUNCTIONS(F) \
  F(open_user) \
  F(flush_close_unref) \
  F(get_fd) \
  F(get_events) \
  F(get_timeout) \
  F(process) \
  F(add_match) \
  F(call) \
  F(send) \
  F(error_free) \
  F(message_new_method_call) \
  F(message_append_basic) \
  F(message_open_container) \
  F(message_close_container) \
  F(message_unref) \
  F(message_peek_type) \
  F(message_read_basic) \
  F(message_enter_container) \
  F(message_exit_container) \
  F(message_at_end) \
  F(message_is_signal) \
  F(message_get_reply_cookie) \
  F(message_get_error) \
  F(message_get_interface) \
  F(message_get_member) \
  F(message_get_sender)

struct bus_functions {
#define MEMBER(name) __typeof__(sd_bus_##name) *name;
  BUS_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* Loads the library. Returns the reason of a failure, or null. */
static inline const char *load_bus(struct bus_functions *functions) {
  void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
#define FIND(name) \
  if (!(functions->name = (__typeof__(sd_bus_##name) *)dlsym(library, "sd_bus_" #name))) return dlerror();
  BUS_FUNCTIONS(FIND)
#undef FIND
  return 0;
}

/* A match without this handler is a request to the library itself; with it, `process` returns the message. */
static inline int bus_pass(sd_bus_message *message, void *data, sd_bus_error *error) {
  (void)message, (void)data, (void)error;
  return 0;
}
