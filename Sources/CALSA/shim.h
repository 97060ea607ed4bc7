#pragma once
#include <alsa/asoundlib.h>
#include <dlfcn.h>

/* The functions of the library that this program calls, without their common prefix `snd_`. */
#define ALSA_FUNCTIONS(F) \
  F(card_next) F(config_update_free_global) F(ctl_card_info) F(ctl_card_info_free) \
  F(ctl_card_info_get_driver) \
  F(ctl_card_info_get_id) F(ctl_card_info_get_name) F(ctl_card_info_malloc) F(ctl_close) \
  F(ctl_open) F(ctl_pcm_info) F(ctl_pcm_next_device) F(device_name_free_hint) \
  F(device_name_get_hint) F(device_name_hint) F(mixer_attach) F(mixer_close) F(mixer_elem_next) \
  F(mixer_first_elem) F(mixer_load) F(mixer_open) F(mixer_selem_get_capture_switch) \
  F(mixer_selem_get_capture_volume) F(mixer_selem_get_capture_volume_range) F(mixer_selem_get_name) \
  F(mixer_selem_get_playback_switch) F(mixer_selem_get_playback_volume) \
  F(mixer_selem_get_playback_volume_range) F(mixer_selem_has_capture_channel) \
  F(mixer_selem_has_capture_switch) F(mixer_selem_has_capture_volume) \
  F(mixer_selem_has_common_volume) F(mixer_selem_has_playback_channel) \
  F(mixer_selem_has_playback_switch) F(mixer_selem_has_playback_volume) F(mixer_selem_register) \
  F(output_buffer_open) F(output_buffer_string) F(output_close) F(pcm_avail_update) F(pcm_close) \
  F(pcm_drop) F(pcm_dump) F(pcm_format_name) F(pcm_forward) F(pcm_htimestamp) \
  F(pcm_hw_params) F(pcm_hw_params_any) F(pcm_hw_params_free) F(pcm_hw_params_get_buffer_size) \
  F(pcm_hw_params_get_buffer_size_max) \
  F(pcm_hw_params_get_channels) F(pcm_hw_params_get_channels_max) F(pcm_hw_params_get_channels_min) \
  F(pcm_hw_params_get_format) F(pcm_hw_params_get_period_size) F(pcm_hw_params_get_rate) \
  F(pcm_hw_params_get_rate_max) F(pcm_hw_params_get_rate_min) F(pcm_hw_params_malloc) \
  F(pcm_hw_params_set_access) F(pcm_hw_params_set_buffer_size_max) \
  F(pcm_hw_params_set_buffer_size_near) F(pcm_hw_params_set_channels) F(pcm_hw_params_set_channels_max) \
  F(pcm_hw_params_set_format) F(pcm_hw_params_set_period_size_near) F(pcm_hw_params_set_rate) \
  F(pcm_hw_params_test_channels) F(pcm_hw_params_test_format) F(pcm_hw_params_test_rate) F(pcm_info) F(pcm_info_free) \
  F(pcm_info_get_card) F(pcm_info_get_device) F(pcm_info_get_name) F(pcm_info_get_subdevices_avail) \
  F(pcm_info_get_subdevices_count) F(pcm_info_malloc) F(pcm_info_set_device) F(pcm_info_set_stream) \
  F(pcm_info_set_subdevice) F(pcm_open) F(pcm_poll_descriptors) F(pcm_poll_descriptors_count) \
  F(pcm_poll_descriptors_revents) F(pcm_prepare) F(pcm_readi) F(pcm_resume) F(pcm_rewind) \
  F(pcm_rewindable) F(pcm_start) F(pcm_state) F(pcm_status) F(pcm_status_free) \
  F(pcm_status_get_avail) F(pcm_status_get_delay) F(pcm_status_get_htstamp) \
  F(pcm_status_malloc) F(pcm_sw_params) F(pcm_sw_params_current) \
  F(pcm_sw_params_free) F(pcm_sw_params_get_boundary) F(pcm_sw_params_malloc) \
  F(pcm_sw_params_set_avail_min) F(pcm_sw_params_set_start_threshold) \
  F(pcm_sw_params_set_stop_threshold) F(pcm_sw_params_set_tstamp_mode) \
  F(pcm_sw_params_set_tstamp_type) F(pcm_type) F(pcm_writei) F(strerror)

struct alsa_functions {
#define MEMBER(name) __typeof__(snd_##name) *name;
  ALSA_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* An error handler that ignores every error. It is variadic, and Swift cannot define variadic functions. */
static void recorder_alsa_ignore(const char *file, int line, const char *function, int code,
                                 const char *format, ...) {}

/* Loads the library, and prevents it from writing to stderr. Returns the reason of a failure, or null. RTLD_GLOBAL
   makes the symbols of the library visible to its plugins. RTLD_DEFAULT gives the functions of a preloaded library
   precedence. */
static inline const char *load_alsa(struct alsa_functions *functions) {
  void *library = dlopen("libasound.so.2", RTLD_NOW | RTLD_GLOBAL);
  if (!library) return dlerror();
#define FIND(name) \
  if (!(functions->name = (__typeof__(functions->name))dlsym(RTLD_DEFAULT, "snd_" #name))) return dlerror();
  ALSA_FUNCTIONS(FIND)
#undef FIND
  __typeof__(snd_lib_error_set_handler) *silence =
      (__typeof__(silence))dlsym(RTLD_DEFAULT, "snd_lib_error_set_handler");
  if (silence) silence(recorder_alsa_ignore);
  return 0;
}
