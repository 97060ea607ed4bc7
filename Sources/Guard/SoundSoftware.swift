internal import Linux

/// The installed sound server. The versions decide how far a guard can close the microphone.
package struct SoundSoftware: Hashable, Sendable {
  /// The version of a program.
  package struct Version: Hashable, Sendable {
    /// The numbers between the points; at least two.
    package let numbers: [Int]

    /// Reads the last version in the output of `--version`, which is the version of the linked
    /// library. Returns nil if there is none.
    package init?(printed text: String) {
      let words = text.split { $0 == " " || $0 == "\n" }
      let found = words.compactMap { word -> [Int]? in
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }
        return parts.count > 1 && numbers.count == parts.count ? numbers : nil
      }
      guard let last = found.last else { return nil }
      numbers = last
    }

    fileprivate func isAtLeast(_ other: [Int]) -> Bool {
      !numbers.lexicographicallyPrecedes(other)
    }
  }

  /// The version of PipeWire, or nil if it is not installed.
  package var pipeWire: Version?
  /// The version of WirePlumber, or nil if it is not installed.
  package var wirePlumber: Version?

  /// Creates the description of a server.
  package init(pipeWire: Version?, wirePlumber: Version?) {
    (self.pipeWire, self.wirePlumber) = (pipeWire, wirePlumber)
  }

  /// The time limit for a program's output; longer than a busy machine needs.
  private static let patience = Duration.seconds(5)

  /// Returns the versions of the installed programs. The running server may be older. But the
  /// guard's files take effect only after a restart of the server, and then the installed version
  /// runs.
  package static func installed() -> SoundSoftware {
    SoundSoftware(pipeWire: version(of: "pipewire"), wirePlumber: version(of: "wireplumber"))
  }

  private static func version(of name: String) -> Version? {
    guard let program = ExecutablePath.find(name),
      let output = try? Spawn(program, ["--version"]).output(atMost: 4_096, within: patience)
    else { return nil }
    return Version(printed: String(decoding: output, as: UTF8.self))
  }
}

extension SoundSoftware {
  /// The kinds of the guard's script.
  package enum Script: Hashable, Sendable {
    /// For WirePlumber 0.5. If `closesSocket` is true, PipeWire also needs a setting, which lets
    /// WirePlumber decide about the permissions of programs.
    case current(closesSocket: Bool)
    /// For WirePlumber 0.4, which cannot prevent a program from creating links.
    case old
  }

  /// The script that fits this server, or nil if none does. From version 0.3.77 on, PipeWire checks
  /// the permissions of a client when the client creates a link. From version 1.4 on, PipeWire
  /// itself gives all permissions to programs, unless a setting prevents this.
  package var script: Script? {
    guard let pipeWire, let wirePlumber else { return nil }
    switch (wirePlumber.numbers[0], wirePlumber.numbers[1]) {
    case (0, 5):
      return pipeWire.isAtLeast([0, 3, 77])
        ? .current(closesSocket: pipeWire.isAtLeast([1, 4])) : nil
    case (0, 4): return .old
    default: return nil
    }
  }
}

extension SoundSoftware.Version: CustomStringConvertible {
  /// The version, such as `1.4.2`.
  package var description: String { numbers.map { "\($0)" }.joined(separator: ".") }
}

extension SoundSoftware: CustomStringConvertible {
  /// The programs and their versions.
  package var description: String {
    let words = [("PipeWire", pipeWire), ("WirePlumber", wirePlumber)].map { name, version in
      version.map { "\(name) \($0)" } ?? "no \(name)"
    }
    return words.joined(separator: " and ")
  }
}
