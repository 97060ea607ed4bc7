package import PipeWire

/// The mode of a guard: how it treats programs without permission.
package enum GuardMode: String, CaseIterable, Sendable {
  /// Asks about undecided programs. They get no sound before the answer.
  case ask
  /// Refuses undecided programs.
  case deny
  /// Cuts no links, and logs every use.
  case log
}

/// The current links of a use.
package struct UsedLinks: Hashable, Sendable {
  /// The links, by their numbers. Empty if the program waits for links.
  package var links: [UInt32: Graph.Link]
  /// The description of the device.
  package var device: String

  /// Creates the description of the links.
  package init(_ links: [UInt32: Graph.Link], of device: String) {
    (self.links, self.device) = (links, device)
  }
}

/// An answer to a question.
package enum GuardAnswer: String, CaseIterable, Sendable {
  case once, always, never
}

/// A step that the guard has to carry out.
package enum GuardStep: Hashable, Sendable {
  /// Removes the link with this number.
  case cut(UInt32)
  /// Creates a link that was cut, if both ports still belong to the use.
  case restore(Graph.Link, of: Graph.Use)
  case ask(GuardQuestion)
  /// The question needs no answer any more.
  case withdraw(Int)
  /// The question had no answer in time, and the program is refused.
  case expire(GuardQuestion)
  /// A program began to use a service.
  case began(Graph.Use, GuardedProgram, device: String)
  /// A program ended its use after this time.
  case ended(Graph.Use, GuardedProgram, device: String, Duration)
  /// A program was refused this number of times.
  case refused(Graph.Use, GuardedProgram, device: String, Int)
}

extension GuardStep {
  var isCut: Bool { if case .cut = self { true } else { false } }
}
