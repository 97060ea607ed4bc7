package import Permission

extension Service: WordValue {
  /// The placeholder for a service in the help.
  package static var placeholder: String { "SERVICE" }

  /// The word for the service in commands.
  package var word: String {
    switch self {
    case .microphone: "microphone"
    case .systemAudio: "system-audio"
    }
  }

  /// The name of the service at the start of a line.
  var title: String {
    switch self {
    case .microphone: "Microphone"
    case .systemAudio: "System audio"
    }
  }

  /// The service as the object of a sentence.
  var object: String {
    switch self {
    case .microphone: "the microphone"
    case .systemAudio: "system audio"
    }
  }

  /// The use of the service, completing "recorder wants to ".
  var use: String {
    switch self {
    case .microphone: "use the microphone"
    case .systemAudio: "record the sound that this computer plays"
    }
  }

  /// The access to the service, in words.
  var access: String { accessWords([self]) }
}

/// Returns the access to several services, in words.
func accessWords(_ services: Set<Service>) -> String {
  switch (services.contains(.microphone), services.contains(.systemAudio)) {
  case (true, true): "access to the microphone and to system audio"
  case (false, true): "access to system audio"
  case (_, false): "microphone access"
  }
}
