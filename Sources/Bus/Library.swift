internal import CSystemd
package import Linux

/// The reason why the desktop's session bus cannot be used.
package enum BusFailure: Error, Hashable, Sendable {
  /// libsystemd is not installed.
  case noLibrary
  /// No bus can be reached.
  case noBus
  /// The connection ended, or a call got no answer. The value is the reason.
  case ended(Errno)
  /// The other program refused a call. The values are the name of the error and its message.
  case refused(String, String)
}

extension BusFailure: CustomStringConvertible {
  /// The reason as a message.
  package var description: String {
    switch self {
    case .noLibrary: "libsystemd is not installed"
    case .noBus: "no session bus is running here"
    case .ended(.timedOut): "the session bus did not answer in time"
    case .ended(let reason): "the session bus ended the connection (\(reason))"
    case .refused(let name, let message): message.isEmpty ? name : message
    }
  }
}

extension BusFailure {
  /// Creates a failure from the error in a message. Returns nil if the message has no error.
  @unsafe init?(_ error: bus_error) {
    guard let name = unsafe error.name else { return nil }
    let text = unsafe error.message.map { unsafe String(cString: $0) } ?? ""
    self = unsafe .refused(String(cString: name), text)
  }
}

/// The functions of libsystemd. Call them only if the library was loaded.
let bus = Library.loaded.functions

/// Unchecked: contains only functions of a library that is never unloaded.
extension bus_functions: @retroactive @unchecked Sendable {}

enum Library {
  static let loaded: (functions: bus_functions, isComplete: Bool) = {
    var functions = bus_functions()
    let isComplete = unsafe load_bus(&functions) == nil
    return (functions, isComplete)
  }()
}

/// Returns the result of a library function. Throws if the result is an error number.
@discardableResult
func check(_ result: CInt) throws(BusFailure) -> CInt {
  if result < 0 { throw .ended(Errno(rawValue: -result)) }
  return result
}
