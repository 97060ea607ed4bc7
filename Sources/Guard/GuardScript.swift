internal import Linux
package import Permission
package import PipeWire

/// The guard's script in WirePlumber. With this script, WirePlumber links only the programs that
/// the guard has allowed.
///
/// The script reads the decisions from a metadata object.
package struct GuardScript: Hashable, Sendable {
  /// The two scripts.
  package enum Kind: CaseIterable, Sendable {
    /// The script for WirePlumber 0.5 closes the microphone to each client without permission.
    case closing
    /// With the script for WirePlumber 0.4, the streams of a program without permission are not
    /// linked. The program can still create its own links.
    case holding
  }

  /// A text to write into an entry of the metadata object, or an entry to remove.
  package struct Change: Hashable, Sendable {
    /// The entry.
    package let entry: Graph.Metadata.Entry
    /// The text, or nil to remove the entry.
    package let text: String?
  }

  /// The kind of the script.
  package let kind: Kind
  /// The number of the script's metadata object.
  package let metadata: UInt32
  /// The version of the script's interface, or nil if the version is not a number.
  package let version: Int?

  /// The version of the interface that this guard uses.
  package static let usedVersion = 1

  /// Whether the guard can use this script.
  package var isUsable: Bool { version == Self.usedVersion }
}

extension GuardScript {
  /// Returns the numbers of the metadata objects to read: the default object of the session manager,
  /// and the object of the script.
  ///
  /// - Parameter isManager: returns whether a client is the session manager. Any program can create
  ///   a metadata object of the same name.
  package static func objects(in graph: Graph, isManager: (UInt32) -> Bool) -> [UInt32] {
    graph.metadata.keys.sorted().filter { number in
      guard let object = graph.metadata[number], let client = object.client,
        Kind.allCases.contains(where: { object.name.isSameName(as: $0.object) })
      else { return false }
      return isManager(client)
    }
  }

  /// Finds the script, or returns nil if WirePlumber has not loaded it.
  ///
  /// - Parameter isManager: returns whether a client is the session manager.
  package static func find(in graph: Graph, isManager: (UInt32) -> Bool) -> GuardScript? {
    let objects = objects(in: graph, isManager: isManager)
    for kind in Kind.allCases {
      for number in objects {
        guard let object = graph.metadata[number], object.name.isSameName(as: kind.object),
          let version = object.values[.init(0, kind.versionKey)]
        else { continue }
        return GuardScript(kind: kind, metadata: number, version: Int(version))
      }
    }
    return nil
  }

  /// Returns the changes after which the script has exactly these decisions.
  ///
  /// - Parameter permitted: the services that each client may use. Other clients are undecided.
  package func changes(
    for permitted: [UInt32: Set<Service>], in graph: Graph
  ) -> Set<Change> {
    var texts: [Graph.Metadata.Entry: String] = [:]
    for (client, services) in permitted {
      guard let serial = graph.clients[client]?.serial, !serial.isEmpty else { continue }
      for (key, isAllowed) in kind.decisions(services) {
        texts[.init(client, key)] = "\(isAllowed ? "allow" : "refuse") \(serial)"
      }
    }
    let written = graph.metadata[metadata]?.values ?? [:]
    let keys = Set(kind.decisions([]).map { Path($0.key) })
    let outdated = written.keys.filter {
      texts[$0] == nil && keys.contains($0.key) && graph.clients[$0.subject] != nil
    }
    let changed = texts.filter { written[$0.key]?.isSameName(as: $0.value) != true }
    return Set(changed.map { Change(entry: $0.key, text: $0.value) })
      .union(outdated.map { Change(entry: $0, text: nil) })
  }
}

extension GuardScript.Kind {
  fileprivate var object: String {
    switch self {
    case .closing: "recorder-guard"
    // A script of WirePlumber 0.4 cannot create a metadata object.
    case .holding: "default"
    }
  }

  fileprivate var versionKey: String {
    switch self {
    case .closing: "version"
    case .holding: "recorder-guard.version"
    }
  }

  /// Returns the decisions about a client that may use these services.
  fileprivate func decisions(_ services: Set<Service>) -> [(key: String, isAllowed: Bool)] {
    switch self {
    case .closing:
      [
        ("microphone", services.contains(.microphone)),
        ("system", services.contains(.systemAudio)),
        // A program that may create links can record any sound for a moment, so it needs both
        // services.
        ("links", services.count == Service.allCases.count),
      ]
    // The script has one decision for both services. The guard cuts the links that use a refused
    // service.
    case .holding: [("recorder-guard.microphone", !services.isEmpty)]
    }
  }
}
