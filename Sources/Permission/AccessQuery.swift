/// A query for microphone access: the client, the device, and the refusals of the call itself.
package struct AccessQuery: Hashable, Sendable {
  /// The client that asks.
  package var client: Client
  /// The device to open.
  package var device: RequestedDevice
  /// The refusals that this call asks for itself.
  package var restrictions: CallRestrictions
  /// The session that asks; nil before there is one.
  package var session: SessionID?
  /// The device's name as given, for the audit.
  package var deviceName: String?
  /// The output file's name, for the audit.
  package var output: String?

  /// A query without names for the audit; those are set afterwards.
  package init(
    client: Client = .everyone, device: RequestedDevice = .unspecified,
    restrictions: CallRestrictions = CallRestrictions(),
    session: SessionID? = nil
  ) {
    self.client = client
    self.device = device
    self.restrictions = restrictions
    self.session = session
  }
}

/// The device to open, as far as it is known when the permission is asked for.
package enum RequestedDevice: Hashable, Sendable {
  /// No device was named; the question is about the microphone in general.
  case unspecified
  /// A card, by all of its names, such as `hw:0,0`, `hw:CARD=USB,DEV=0` and `hw:USB,0`.
  case card(names: [String])
  /// A plugin whose card could not be found.
  case unresolved
}

/// The refusals that the variables and options of this call ask for; they can never allow.
package struct CallRestrictions: Hashable, Sendable {
  /// The origin of a refusal for this call.
  package enum Origin: Hashable, Sendable {
    case option
    case variable
  }

  /// RECORDER_PERMISSION with an unknown value, which is an error of usage.
  package struct UsageError: Error, Hashable, Sendable {
    /// The value of the variable, unescaped.
    package let value: String

    /// The error for this value.
    package init(value: String) { self.value = value }
  }

  /// The origin of the refusal; nil if this call refuses nothing.
  package let refusal: Origin?
  /// True if this call must not prompt.
  package let forbidsPrompt: Bool

  /// Restrictions that are known already; by default none.
  package init(refusal: Origin? = nil, forbidsPrompt: Bool = false) {
    self.refusal = refusal
    self.forbidsPrompt = forbidsPrompt
  }

  /// Reads the options and the values of the variables; throws for an unknown value.
  ///
  /// - Parameters:
  /// - permission: the value of RECORDER_PERMISSION; empty or `deny`.
  /// - noPrompt: the value of RECORDER_NO_PROMPT; any but empty and `0` forbids the prompt.
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

/// The client that asks for the microphone: everyone, or a program under a name of its choice.
///
/// The name selects a record and labels the audit; it authenticates nobody.
package struct Client: Hashable, Sendable {
  /// `*`, or 1 to 64 of `a` to `z`, `0` to `9`, `.`, `_` and `-`.
  package let name: String

  /// The client without a name; its refusal holds for every name.
  package static let everyone = Client(known: "*")

  /// A client with this name; nil if the name is invalid. `*` is everyone.
  package init?(_ name: String) {
    guard name == "*" || isLabel(name) else { return nil }
    self.name = name
  }

  private init(known name: String) { self.name = name }
}

extension Client: CustomStringConvertible {
  /// The client's name, `*` for everyone.
  package var description: String { name }
}

/// True if `text` is a plain name that needs no escaping anywhere.
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

/// The name of one recording session; never used for another.
package struct SessionID: Hashable, Sendable {
  /// 1 to 64 of `a` to `z`, `0` to `9`, `.`, `_` and `-`.
  package let text: String

  /// A session's name; nil if the text is invalid.
  package init?(_ text: String) {
    guard isLabel(text) else { return nil }
    self.text = text
  }
}
