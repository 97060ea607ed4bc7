package import Linux
package import PipeWire

/// A program that records from a device now.
package struct DeviceUse: Hashable, Sendable {
  /// The interface through which the program records.
  package enum Route: String, Hashable, Sendable {
    case alsa, pipewire
  }

  /// The process and its program.
  package let program: RunningProgram
  /// The name that the program gives itself, or nil. It is for display only.
  package let name: String?
  /// The device, in the form of `--device`.
  package let device: String
  /// The description of the device for users.
  package let title: String
  /// Whether the program records sound that this machine plays.
  package let isPlayed: Bool
  /// The interface through which the program records.
  package let route: Route

  /// A use with these values, for example in a test.
  package init(
    _ program: RunningProgram, name: String? = nil, device: String, title: String,
    isPlayed: Bool = false, _ route: Route
  ) {
    self.program = program
    self.name = name
    self.device = device
    self.title = title
    self.isPlayed = isPlayed
    self.route = route
  }
}

extension DeviceUse {
  /// Returns the programs that record now. If the programs that use PipeWire are unknown, also
  /// returns the reason.
  ///
  /// - Parameter withPipeWire: whether PipeWire is asked. This takes most of the time.
  package static func current(
    withPipeWire: Bool = true
  ) -> (uses: [DeviceUse], failure: ConnectionFailure?) {
    do throws(ConnectionFailure) {
      return (try (withPipeWire ? throughPipeWire() : []) + throughKernel(), nil)
    } catch {
      return (throughKernel(), error)
    }
  }

  /// Returns the programs that record through PipeWire now. The server's own nodes are not listed.
  ///
  /// - Parameter server: the name or the socket of the server, or nil for the default server.
  package static func throughPipeWire(
    _ server: String? = nil
  ) throws(ConnectionFailure) -> [DeviceUse] {
    let connection = try Connection.open(server)
    let graph = try Registry(connection, withClients: true).graph
    var programs = ClientPrograms(of: graph)
    var found: [DeviceUse] = []
    for use in graph.uses {
      guard let source = graph.nodes[use.source], let program = programs.program(of: use.client)
      else { continue }
      let new = DeviceUse(
        program, name: graph.clients[use.client]?.names.first,
        device: source.deviceName(isPlayed: use.isPlayed), title: source.title,
        isPlayed: use.isPlayed, .pipewire)
      if !found.contains(new) { found.append(new) }
    }
    return found
  }

  /// Whether PipeWire probably runs for this user: its socket exists, or the environment selects
  /// another server. This check takes much less time than a connection.
  package static var hasPipeWire: Bool {
    // If one of these variables is set, the socket may be elsewhere.
    let others = ["PIPEWIRE_REMOTE", "PIPEWIRE_RUNTIME_DIR"]
    if others.contains(where: { Environment.value(of: $0) != nil }) { return true }
    let login = BaseDirectories.Facts.environment().login
    return login.map { (try? FileStatus(of: $0 + "/pipewire-0")) != nil } ?? false
  }

  /// Returns the programs that have opened a capture device of the kernel now. PipeWire is left
  /// out, because `throughPipeWire` returns its clients.
  ///
  /// - Parameter processes: the directory of the kernel's files about processes and cards.
  package static func throughKernel(processes: String = "/proc") -> [DeviceUse] {
    CardStreams(.capture, processes: processes).uses.compactMap { device, title, holder in
      let program = RunningProgram(holder.process)
      if program.isPipeWireServer { return nil }
      return DeviceUse(
        program, name: holder.program.isEmpty ? nil : holder.program, device: device, title: title,
        .alsa)
    }
  }
}

extension Graph.Node {
  /// The name of the node for `--device`.
  fileprivate func deviceName(isPlayed: Bool) -> String {
    if isPlayback { return "app:" + (program ?? name) }
    return (isPlayed ? "output:" : "pipewire:NODE=") + name
  }
}
