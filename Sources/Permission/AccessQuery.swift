package import Linux

/// A query for access: the services, the client, the device, and the restrictions of the call.
package struct AccessQuery: Hashable, Sendable {
  /// The services that are needed together.
  package var services: Set<Service>
  /// The client that requests access.
  package var client: Client
  /// The device to open.
  package var device: RequestedDevice
  /// The restrictions from the options and variables of this call.
  package var restrictions: CallRestrictions
  /// The session that requests access, or nil before the session exists.
  package var session: SessionID?
  /// The device's name as given, for the audit.
  package var deviceName: String?
  /// The output file's name, for the audit.
  package var output: String?

  /// Creates a query. The caller sets the names for the audit, `deviceName` and `output`,
  /// afterwards.
  package init(
    _ services: Set<Service> = [.microphone], client: Client = .everyone,
    device: RequestedDevice = .unspecified, restrictions: CallRestrictions = CallRestrictions(),
    session: SessionID? = nil
  ) {
    self.services = services
    self.client = client
    self.device = device
    self.restrictions = restrictions
    self.session = session
  }
}

/// The device to open, as far as it is known when access is requested.
package enum RequestedDevice: Hashable, Sendable {
  /// No device was named. The query is about the service in general.
  case unspecified
  /// A card, by all of its names, such as `hw:0,0`, `hw:CARD=USB,DEV=0` and `hw:USB,0`.
  case card(names: [String])
  /// A plugin whose card could not be found, or a device without a card.
  case unresolved
  /// The devices of several tracks.
  indirect case several([RequestedDevice])

  /// Several devices together. An empty list is `unresolved`.
  package init(_ devices: [RequestedDevice]) {
    self = devices.count == 1 ? devices[0] : devices.isEmpty ? .unresolved : .several(devices)
  }
}

/// The restrictions from the options and variables of one call: to refuse access, or not to prompt.
/// No option or variable can allow access.
package struct CallRestrictions: Hashable, Sendable {
  /// The origin of a refusal for this call.
  package enum Origin: Hashable, Sendable {
    case option
    case variable
  }

  /// An unknown value of RECORDER_PERMISSION, which is a usage error.
  package struct UsageError: Error, Hashable, Sendable {
    /// The value of the variable, unescaped.
    package let value: String

    /// The error for this value.
    package init(value: String) { self.value = value }
  }

  /// The origin of the refusal, or nil if this call requests no refusal.
  package let refusal: Origin?
  /// True if this call must not prompt.
  package let forbidsPrompt: Bool

  /// Creates restrictions from known values. By default there are none.
  package init(refusal: Origin? = nil, forbidsPrompt: Bool = false) {
    self.refusal = refusal
    self.forbidsPrompt = forbidsPrompt
  }

  /// Reads the options and the values of the variables. Throws for an unknown value.
  ///
  /// - Parameters:
  ///   - permission: the value of RECORDER_PERMISSION: empty or `deny`.
  ///   - noPrompt: the value of RECORDER_NO_PROMPT. Any value except empty and `0` forbids the
  ///     prompt.
  package init(
    deny: Bool, noPromptOption: Bool = false, permission: String?, noPrompt: String?
  ) throws(UsageError) {
    if let permission, !["", "deny"].contains(permission) {
      throw UsageError(value: permission)
    }
    refusal = deny ? .option : permission == "deny" ? .variable : nil
    forbidsPrompt = noPromptOption || !["", "0"].contains(noPrompt ?? "")
  }
}

extension CallRestrictions.UsageError: CustomStringConvertible {
  /// The error as a sentence, with the value escaped for a terminal.
  package var description: String {
    "RECORDER_PERMISSION is \(PrintableText.quoted(value)), but its only valid value is "
      + "\"deny\": no variable can allow a recording"
  }
}

/// Returns whether `text` is a plain name that never needs escaping.
func isLabel(_ text: String) -> Bool {
  (1...64).contains(text.utf8.count)
    && text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
      default: false
      }
    }
}

/// The name of a recording session, or of a program's connection to the sound server. The name of a
/// recording session is never used again.
package struct SessionID: Hashable, Sendable {
  /// 1 to 64 of the characters `a` to `z`, `0` to `9`, `.`, `_` and `-`.
  package let text: String

  /// Creates a session's name. The result is nil if the text is invalid.
  package init?(_ text: String) {
    guard isLabel(text) else { return nil }
    self.text = text
  }

  /// Creates a name that no other session has.
  package init() throws(SystemError) { text = try RandomBytes.hexadecimal(8) }
}
