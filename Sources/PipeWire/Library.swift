internal import CPipeWire
internal import Glibc
internal import Linux

/// libpipewire, loaded at its first use, because most commands need no sound server.
enum Library {
  fileprivate static let loaded = load()

  /// The reason why the library cannot be used, or nil if it was loaded.
  static var failure: ConnectionFailure? { loaded.failure }

  private static func load() -> (functions: pipewire_functions, failure: ConnectionFailure?) {
    var functions = pipewire_functions()
    switch unsafe Int(load_pipewire(&functions)) {
    case Int(pipewire_loaded): break
    case Int(pipewire_too_old): return (functions, .oldLibrary)
    default: return (functions, .noLibrary)
    }
    unsafe functions.`init`(nil, nil)
    // The library's log is turned off, because this program throws the errors that the log would
    // write to the standard error.
    functions.log_set_level(0)
    return (functions, nil)
  }
}

/// The functions of libpipewire. They may be called only if the library was loaded.
let pipeWire = Library.loaded.functions

/// Unchecked: functions of a library that is never unloaded.
extension pipewire_functions: @retroactive @unchecked Sendable {}

/// Callbacks and their registration with an object.
@safe final class Listener<Events>: Hook {
  let events: UnsafeMutablePointer<Events>

  init(_ events: Events) {
    unsafe self.events = .allocate(capacity: 1)
    unsafe self.events.initialize(to: events)
  }

  deinit { unsafe events.deallocate() }

  /// Registers the callbacks. The library passes `owner` to them. `owner` must exist as long as the
  /// object.
  func listen(to object: UnsafeMutableRawPointer, for owner: AnyObject) {
    let owner = unsafe Unmanaged.passUnretained(owner).toOpaque()
    _ = unsafe pipewire_listen(object, hook, events, owner)
  }

  /// Registers the callbacks with the events that every object of a server has.
  func listen(
    toProxy proxy: UnsafeMutableRawPointer, for owner: AnyObject
  ) where Events == pipewire_proxy_events {
    let owner = unsafe Unmanaged.passUnretained(owner).toOpaque()
    unsafe pipeWire.proxy_add_listener(proxy, hook, events, owner)
  }

  /// Registers the callbacks with a filter.
  func listen(
    toFilter filter: UnsafeMutableRawPointer, for owner: AnyObject
  ) where Events == pipewire_filter_events {
    let owner = unsafe Unmanaged.passUnretained(owner).toOpaque()
    unsafe pipeWire.filter_add_listener(filter, hook, events, owner)
  }
}

/// The entry of a listener in an object's list of listeners.
///
/// After this program has destroyed an object, the library still calls the object's listeners,
/// until the server confirms the destruction. So `end` is needed before the object is destroyed.
@safe class Hook {
  fileprivate let hook: UnsafeMutablePointer<pipewire_hook>

  fileprivate init() {
    unsafe hook = .allocate(capacity: 1)
    unsafe hook.initialize(to: pipewire_hook())
  }

  deinit { unsafe hook.deallocate() }

  /// Ends the callbacks. The loop must be locked, and the object must still exist.
  final func end() { unsafe pipewire_unhook(hook) }
}

/// The properties of an object, valid during a callback.
@safe struct Properties {
  private let dictionary: UnsafePointer<pipewire_dictionary>?

  init(_ dictionary: UnsafePointer<pipewire_dictionary>?) { unsafe self.dictionary = dictionary }

  /// The value of a property, or nil if the object has no such property.
  subscript(key: String) -> String? {
    guard let dictionary = unsafe dictionary else { return nil }
    for index in unsafe 0..<Int(dictionary.pointee.count) {
      let item = unsafe dictionary.pointee.items[index]
      if let name = unsafe item.key, let value = unsafe item.value, unsafe strcmp(name, key) == 0 {
        return unsafe String(cString: value)
      }
    }
    return nil
  }

  /// The value of a property as a number, or nil if it is not a number.
  subscript(number key: String) -> UInt32? { self[key].flatMap { UInt32($0) } }
}

/// Calls `body` with a dictionary of these properties, which is valid during the call.
@unsafe func withDictionary<Result>(
  _ properties: [(String, String)], _ body: (UnsafePointer<pipewire_dictionary>) -> Result
) -> Result {
  let items = unsafe properties.map { key, value in
    unsafe pipewire_item(key: strdup(key), value: strdup(value))
  }
  defer {
    unsafe items.forEach { item in
      unsafe free(UnsafeMutablePointer(mutating: item.key))
      unsafe free(UnsafeMutablePointer(mutating: item.value))
    }
  }
  return unsafe items.withUnsafeBufferPointer { items in
    var dictionary = unsafe pipewire_dictionary(
      flags: 0, count: UInt32(items.count), items: items.baseAddress)
    return unsafe body(&dictionary)
  }
}

/// Returns properties for a constructor of the library, which takes ownership of them.
@unsafe func properties(_ properties: [(String, String)]) -> UnsafeMutableRawPointer? {
  unsafe withDictionary(properties) { unsafe pipeWire.properties_new_dict($0) }
}
