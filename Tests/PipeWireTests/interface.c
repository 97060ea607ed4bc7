// Compares the declarations of Sources/CPipeWire with PipeWire's own headers. It only has to compile.
#include <pipewire/filter.h>
#include <pipewire/pipewire.h>
#include <spa/interfaces/audio/aec.h>
#include <spa/param/latency-utils.h>
// This header needs declarations of the others.
#include <pipewire/extensions/metadata.h>

#include "shim.h"

#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(struct ours) == sizeof(struct theirs), #ours)
#define SAME_PLACE(ours, member, theirs, other) \
  _Static_assert(offsetof(struct ours, member) == offsetof(struct theirs, other), #ours "." #member)

SAME_SIZE(pipewire_callbacks, spa_callbacks);
SAME_SIZE(pipewire_interface, spa_interface);
SAME_PLACE(pipewire_interface, callbacks, spa_interface, cb);
SAME_SIZE(pipewire_hook, spa_hook);
SAME_PLACE(pipewire_hook, callbacks, spa_hook, cb);
SAME_SIZE(pipewire_item, spa_dict_item);
SAME_SIZE(pipewire_dictionary, spa_dict);
SAME_PLACE(pipewire_dictionary, items, spa_dict, items);
SAME_PLACE(pipewire_core_info, cookie, pw_core_info, cookie);
SAME_PLACE(pipewire_client_info, properties, pw_client_info, props);
SAME_PLACE(pipewire_clock, nanoseconds, spa_io_clock, nsec);
SAME_PLACE(pipewire_clock, rate, spa_io_clock, rate.denom);
SAME_PLACE(pipewire_clock, position, spa_io_clock, position);
SAME_PLACE(pipewire_clock, duration, spa_io_clock, duration);
SAME_PLACE(pipewire_core_events, info, pw_core_events, info);
SAME_PLACE(pipewire_core_events, done, pw_core_events, done);
SAME_PLACE(pipewire_core_events, error, pw_core_events, error);
SAME_PLACE(pipewire_core_events, remove_mem, pw_core_events, remove_mem);
SAME_PLACE(pipewire_registry_events, global, pw_registry_events, global);
SAME_PLACE(pipewire_registry_events, global_remove, pw_registry_events, global_remove);
SAME_PLACE(pipewire_metadata_events, property, pw_metadata_events, property);
SAME_PLACE(pipewire_client_events, info, pw_client_events, info);
SAME_PLACE(pipewire_client_events, permissions, pw_client_events, permissions);
SAME_PLACE(pipewire_node_info, changes, pw_node_info, change_mask);
SAME_PLACE(pipewire_node_info, properties, pw_node_info, props);
SAME_PLACE(pipewire_node_events, info, pw_node_events, info);
SAME_PLACE(pipewire_node_events, param, pw_node_events, param);
SAME_PLACE(pipewire_metadata_methods, set_property, pw_metadata_methods, set_property);
SAME_PLACE(pipewire_link_info, state, pw_link_info, state);
SAME_PLACE(pipewire_link_events, info, pw_link_events, info);
SAME_PLACE(pipewire_port_events, param, pw_port_events, param);
SAME_PLACE(pipewire_port_methods, subscribe_params, pw_port_methods, subscribe_params);
SAME_PLACE(pipewire_proxy_events, removed, pw_proxy_events, removed);
SAME_PLACE(pipewire_proxy_events, error, pw_proxy_events, error);
SAME_PLACE(pipewire_filter_events, state_changed, pw_filter_events, state_changed);
SAME_PLACE(pipewire_filter_events, process, pw_filter_events, process);
SAME_PLACE(pipewire_filter_events, command, pw_filter_events, command);
SAME_PLACE(pipewire_core_methods, add_listener, pw_core_methods, add_listener);
SAME_PLACE(pipewire_core_methods, sync, pw_core_methods, sync);
SAME_PLACE(pipewire_core_methods, get_registry, pw_core_methods, get_registry);
SAME_PLACE(pipewire_core_methods, create_object, pw_core_methods, create_object);
SAME_PLACE(pipewire_core_methods, destroy, pw_core_methods, destroy);
SAME_PLACE(pipewire_registry_methods, bind, pw_registry_methods, bind);
SAME_PLACE(pipewire_loop, utilities, pw_loop, utils);
SAME_PLACE(pipewire_loop_methods, add_timer, spa_loop_utils_methods, add_timer);
SAME_PLACE(pipewire_loop_methods, update_timer, spa_loop_utils_methods, update_timer);
SAME_SIZE(pipewire_plugin, spa_handle);
SAME_PLACE(pipewire_plugin, get_interface, spa_handle, get_interface);
SAME_PLACE(pipewire_canceller_methods, init, spa_audio_aec_methods, init);
SAME_PLACE(pipewire_canceller_methods, run, spa_audio_aec_methods, run);
SAME_PLACE(pipewire_raw_format, rate, spa_audio_info_raw, rate);
SAME_PLACE(pipewire_raw_format, channels, spa_audio_info_raw, channels);
SAME_PLACE(pipewire_raw_format, positions, spa_audio_info_raw, position);

_Static_assert(sizeof(struct pipewire_raw_format) >= sizeof(struct spa_audio_info_raw), "as many positions");
_Static_assert(offsetof(struct spa_loop_utils, iface) == 0, "the methods of a loop");
_Static_assert(offsetof(struct spa_io_position, clock) == 0, "the clock is the first member of the position");
_Static_assert(PW_VERSION_CORE >= 3 && PW_VERSION_REGISTRY >= 3, "the versions that are requested");
_Static_assert(PW_VERSION_CLIENT >= 3 && PW_VERSION_METADATA >= 3 && PW_VERSION_LINK >= 3, "the same");
_Static_assert(PW_VERSION_PORT >= 3 && PW_VERSION_NODE >= 3, "the same");
_Static_assert((int)pipewire_node_has_new_properties == PW_NODE_CHANGE_MASK_PROPS, "mask");
_Static_assert((int)pipewire_filter_failed == PW_FILTER_STATE_ERROR, "state");
_Static_assert((int)pipewire_link_active == PW_LINK_STATE_ACTIVE, "state");
_Static_assert((int)pipewire_filter_real_time == PW_FILTER_FLAG_RT_PROCESS, "flag");
_Static_assert((int)pipewire_port_maps_buffers == PW_FILTER_PORT_FLAG_MAP_BUFFERS, "flag");
_Static_assert((int)pipewire_latency == SPA_PARAM_Latency, "parameter");
_Static_assert((int)pipewire_object_latency == SPA_TYPE_OBJECT_ParamLatency, "type");
_Static_assert((int)pipewire_type_id == SPA_TYPE_Id && (int)pipewire_type_int == SPA_TYPE_Int, "type");
_Static_assert((int)pipewire_type_long == SPA_TYPE_Long && (int)pipewire_type_float == SPA_TYPE_Float, "type");
_Static_assert((int)pipewire_type_object == SPA_TYPE_Object, "type");
_Static_assert(SPA_PARAM_LATENCY_direction == 1 && SPA_PARAM_LATENCY_minQuantum == 2, "key");
_Static_assert(SPA_PARAM_LATENCY_maxQuantum == 3 && SPA_PARAM_LATENCY_minRate == 4, "key");
_Static_assert(SPA_PARAM_LATENCY_maxRate == 5 && SPA_PARAM_LATENCY_minNs == 6, "key");
_Static_assert(SPA_PARAM_LATENCY_maxNs == 7 && SPA_DIRECTION_INPUT == 0 && SPA_DIRECTION_OUTPUT == 1, "key");
