/// Sound of the graph that a capture records into a group of its channels.
package struct Source: Hashable, Sendable {
  /// The nodes that deliver the sound.
  package enum Kind: Hashable, Sendable {
    /// A microphone, by its name or its serial number.
    case node(String)
    /// The default microphone. If the default changes, the capture follows it.
    case defaultSource
    /// The sound of a speaker, by its name or its serial number.
    case monitor(String)
    /// The sound of the default speaker. If the default changes, the capture follows it.
    case defaultMonitor
    /// All sound of a program with this name or with an executable of this name, regardless of
    /// case.
    case program(String)

    var isMonitor: Bool {
      switch self {
      case .monitor, .defaultMonitor: true
      case .node, .defaultSource, .program: false
      }
    }

    var isMicrophone: Bool {
      switch self {
      case .node, .defaultSource: true
      case .monitor, .defaultMonitor, .program: false
      }
    }
  }

  /// The nodes that deliver the sound.
  package let kind: Kind
  /// The names of the channels to record. Ports are linked by these names.
  package let channels: [String]

  /// Whether the source is a program.
  var isProgram: Bool { if case .program = kind { true } else { false } }

  /// A source with a number of channels.
  ///
  /// - Parameter own: the names of the source's own channels. They are used only if more than two
  ///   channels are recorded.
  package init(_ kind: Kind, channels: Int, named own: [String]) {
    self.kind = kind
    self.channels =
      switch channels {
      case 1: ["MONO"]
      case 2: ["FL", "FR"]
      default: (0..<channels).map { $0 < own.count ? own[$0] : "AUX\($0)" }
      }
  }
}
