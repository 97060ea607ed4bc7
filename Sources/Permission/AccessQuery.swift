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
