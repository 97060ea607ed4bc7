internal import Linux

/// The sound server of most desktops, as `pw-dump` describes it.
package enum PipeWire {
  /// The reason why the server's nodes are unknown.
  package enum Silence: Error, Hashable, Sendable {
    /// `pw-dump` is not installed.
    case noTool
    /// No server can be reached.
    case noServer
    /// A server is there and does not answer, as one that is suspended.
    case noAnswer(Duration)
  }

  /// Longer than a busy server takes.
  private static let patience = Duration.seconds(2)
  private static let largestDump = 16 << 20

  /// The server's nodes at present.
  ///
  /// - Parameter server: the server's name, where it is not the usual one.
  package static func graph(of server: String? = nil) throws(Silence) -> PipeWireGraph {
    guard let tool = ExecutablePath.find("pw-dump") else { throw .noTool }
    let environment = Environment.all.filter { !$0.hasPrefix("LC_") } + ["LC_ALL=C"]
    let spawn = Spawn(
      tool, server.map { ["--remote", $0] } ?? [], environment: environment)
    let output: [UInt8]
    do throws(SystemError) {
      output = try spawn.output(atMost: largestDump, within: patience)
    } catch {
      throw error.errno == .timedOut ? .noAnswer(patience) : .noServer
    }
    guard let graph = PipeWireGraph(dump: output) else { throw .noServer }
    return graph
  }
}

extension PipeWire.Silence: CustomStringConvertible {
  /// The reason as a message.
  package var description: String {
    switch self {
    case .noTool: "pw-dump is not installed"
    case .noServer: "no PipeWire is running here"
    case .noAnswer(let limit): "PipeWire did not answer within \(limit.components.seconds) s"
    }
  }
}
