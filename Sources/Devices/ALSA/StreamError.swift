package import Audio
internal import CALSA
internal import Glibc
package import Linux
internal import PipeWire

/// A failed call to ALSA or PipeWire: the function, the device and the reason.
package struct StreamError: Error, Hashable, Sendable {
  /// The C function, such as `snd_pcm_open`.
  package let function: String
  /// The name that was used to open the device.
  package let device: String
  /// The function's result: a negative error number.
  package let code: CInt
  /// PipeWire's reason, or nil for an error of ALSA.
  private var reason: String?

  /// An error from the result of a function, which is a negative number.
  package init(_ function: String, _ device: String, code: CInt) {
    self.function = function
    self.device = device
    self.code = code
  }

  init(_ function: String, _ device: String, _ reason: Errno) {
    self.init(function, device, code: -reason.rawValue)
  }

  /// The loss of a device that PipeWire captures.
  init(losing device: String, _ failure: ConnectionFailure) {
    self.init("pw_core_disconnect", device, .connectionReset)
    reason = "\(failure)"
  }

  /// The code as an error number of the kernel.
  package var errno: Errno { Errno(rawValue: -code) }

  /// PipeWire's reason, or ALSA's message for the code. The corresponding C function is
  /// `snd_strerror`.
  package var words: String {
    if let reason { return reason }
    guard ALSA.refusal == nil, let words = alsa.strerror(code) else {
      return ALSA.refusal ?? "error \(code)"
    }
    return unsafe String(cString: words)
  }
}

extension StreamError: CustomStringConvertible {
  /// The device and the reason, such as `"hw:9": No such device`. For the loss of an open device,
  /// the description is a sentence with both.
  package var description: String {
    let isLost = function != Self.opening && [.disconnected, .xrun].contains(condition)
    return isLost ? "the connection to \"\(device)\" was lost: \(words)" : "\"\(device)\": \(words)"
  }

  /// Whether the device needs a sound server that is not running.
  package var isServerDown: Bool { errno == .hostDown || errno == .connectionRefused }

  private static let opening = "snd_pcm_open"
}

extension StreamError: CustomDebugStringConvertible {
  /// The description with the C function, such as `snd_pcm_open "hw:9": No such device`.
  package var debugDescription: String { "\(function) \"\(device)\": \(words)" }
}

extension StreamError: StreamFailure {
  /// The kind of failure. It decides whether the recording recovers, reconnects or gives up.
  package var condition: StreamCondition {
    switch errno {
    case .brokenPipe: .xrun
    case .streamPipe: .suspended
    // If the connection to PipeWire is lost, the error is `connectionReset`. Plugins return the
    // last three errors of this list if their server has ended. `badDescriptorState` also means
    // calls in a wrong order, but this program makes no such calls.
    case .noDevice, .connectionReset, .noSuchDevice, .inputOutput, .badDescriptorState:
      .disconnected
    default: .failed
    }
  }
}

/// Returns the result of a function of ALSA if it is 0 or more. Throws any other result as an
/// error.
@discardableResult
func checked(_ function: String, on device: String, _ result: CInt) throws(StreamError) -> CInt {
  if result >= 0 { return result }
  throw StreamError(function, device, code: result)
}

extension Errno {
  /// ALSA's code for a stream that was suspended together with the machine.
  static let streamPipe = Errno(rawValue: ESTRPIPE)
  fileprivate static let badDescriptorState = Errno(rawValue: EBADFD)
  static let noSuchDevice = Errno(rawValue: ENXIO)
  static let hostDown = Errno(rawValue: EHOSTDOWN)
  static let noLibrary = Errno(rawValue: ELIBACC)
  static let noMemory = Errno(rawValue: ENOMEM)
}

/// libasound.
enum ALSA {
  fileprivate static let library = unsafe LoadedLibrary(alsa_functions(), load_alsa)

  /// The reason why the library cannot be loaded, or nil if it was loaded.
  static var refusal: String? { library.refusal }

  /// Loads the library. Throws if it cannot be loaded.
  static func load(for device: String) throws(StreamError) {
    if refusal != nil { throw StreamError("dlopen", device, .noLibrary) }
  }
}

/// The functions of libasound. They may be called only if the library was loaded.
let alsa = ALSA.library.functions

/// Unchecked: functions of a library that is never unloaded.
extension alsa_functions: @retroactive @unchecked Sendable {}
