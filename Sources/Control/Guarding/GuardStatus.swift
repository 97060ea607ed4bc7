package import JSON

/// The state of the guard at one moment.
package struct GuardStatus: Hashable, Sendable {
  /// The process number of the guard.
  package var process: Int32
  /// The treatment of programs without permission: `ask`, `deny` or `log`.
  package var mode: String
  /// The protection of the microphone.
  package var level: GuardLevel
  /// The reason why the level is not `closed`. Nil if there is none, for example in the mode `log`.
  package var reason: String?
  /// The uses that are allowed now.
  package var uses: [GuardedUse] = []
  /// The questions that the user has not answered, the oldest first.
  package var questions: [GuardedUse] = []

  /// The state of a guard without uses and questions.
  package init(process: Int32, mode: String, level: GuardLevel, reason: String? = nil) {
    (self.process, self.mode, self.level, self.reason) = (process, mode, level, reason)
  }
}

/// The protection of the microphone against programs without permission.
package enum GuardLevel: String, CaseIterable, Sendable {
  /// The programs get no sound at all.
  case closed
  /// The guard removes the links of the programs after they were made, so the programs may get a
  /// moment of sound.
  case cut
  /// The programs get the sound, and their uses are logged.
  case logged
  /// The sound server cannot be reached.
  case none
}

/// A program's use of a service, or a question to the user about such a use.
package struct GuardedUse: Hashable, Sendable {
  /// The number of the question, or nil for a use.
  package var question: Int?
  /// The program's identifier, or nil if it is unknown.
  package var program: String?
  /// The program's name to show to the user.
  package var title: String
  /// The process number of the program, or 0 if it is unknown.
  package var process: Int32
  /// The service, `microphone` or `systemAudio`.
  package var service: String
  /// The description of the device.
  package var device: String

  /// Creates a use, or a question if it has a number.
  package init(
    question: Int? = nil, program: String?, title: String, process: Int32, service: String,
    device: String
  ) {
    (self.question, self.program, self.title) = (question, program, title)
    (self.process, self.service, self.device) = (process, service, device)
  }
}

extension GuardLevel: JSONConvertible {}

extension GuardStatus: JSONMembers {
  /// A placeholder state. Reading JSON replaces its members.
  package static var blank: GuardStatus { GuardStatus(process: 0, mode: "", level: .none) }

  /// Lists the members of the object in a reply.
  package mutating func list(in form: inout JSONForm) {
    form.member("pid", &process, in: 1...Int32.max)
    form.member("mode", &mode)
    form.member("level", &level)
    form.member("reason", &reason)
    form.member("uses", &uses)
    form.member("questions", &questions)
  }
}

extension GuardedUse: JSONMembers {
  /// A placeholder use. Reading JSON replaces its members.
  package static var blank: GuardedUse {
    GuardedUse(program: nil, title: "", process: 0, service: "", device: "")
  }

  /// Lists the members of the object in a reply.
  package mutating func list(in form: inout JSONForm) {
    form.member("question", &question)
    form.member("program", &program)
    form.member("title", &title)
    form.member("pid", &process, in: 0...Int32.max)
    form.member("service", &service)
    form.member("device", &device)
  }
}

/// The actions that a client can request from the guard. The raw values are the verbs of the
/// protocol.
package enum GuardVerb: String, Sendable {
  case status
  /// Sends the state now, and again after every change.
  case watch
  /// Answers a question. The argument `question` is the number of the question, and `answer` is
  /// `once`, `always` or `never`.
  case answer
  /// Ends the guard.
  case stop
}
