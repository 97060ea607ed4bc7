/// The program of a process, according to the kernel. The name that a program gives itself has no
/// effect.
package enum ProgramIdentity: Hashable, Sendable {
  /// An application of Flatpak, by its identifier.
  case flatpak(String)
  /// A snap, by its name.
  case snap(String)
  /// Another program, by the path of its executable without symbolic links.
  case path(Path)
  /// The program cannot be determined reliably.
  case unknown(Reason)

  /// The reason why a program is unknown.
  package enum Reason: String, Hashable, Sendable {
    /// No process number is known, or it belongs to another PID namespace.
    case noProcess
    /// The process has ended.
    case ended
    /// The process belongs to another user, or protects itself from being read.
    case noAccess
    /// The executable has no path here: it is only in memory, or in another container.
    case noFile
    /// The file or the label that names the application is invalid.
    case invalid
    /// The sound server reports a process number that only the client itself has claimed.
    case unconfirmed
  }
}

extension ProgramIdentity {
  /// The identifier with which decisions about the program are stored, such as
  /// `path:/usr/bin/arecord`, or nil if the program is unknown.
  package var identifier: String? {
    switch self {
    case .flatpak(let name): "flatpak:" + name
    case .snap(let name): "snap:" + name
    case .path(let path): "path:" + path.text
    case .unknown: nil
    }
  }
}

extension ProgramIdentity.Reason: CustomStringConvertible {
  /// The reason as a clause about the program.
  package var description: String {
    switch self {
    case .noProcess: "its process number is unknown"
    case .ended: "its process has ended"
    case .noAccess: "this user has no permission to examine its process"
    case .noFile: "its executable has no path on this system"
    case .invalid: "its sandbox has no valid name"
    case .unconfirmed:
      "the sound server has only the process number that the program itself reported"
    }
  }
}

extension ProgramIdentity: CustomStringConvertible {
  /// The identifier, or `unknown` with the reason.
  package var description: String {
    if case .unknown(let reason) = self { return "unknown (\(reason))" }
    return identifier ?? ""
  }
}

extension ProgramIdentity {
  /// Reads the identity of the process with this number. The caller must have a descriptor of the
  /// process, and must check afterwards that the process still runs.
  init(reading process: Int32) {
    let files = "/proc/\(process)"
    self = Self.readFlatpak(files) ?? Self.readSnap(files) ?? Self.readPath(files)
  }

  private static let largestFile = 65_536

  /// Reads the file that Flatpak puts into each sandbox. Returns nil only if there is no such file.
  /// If the file exists but is unusable, returns `unknown`: the program may be in a sandbox.
  private static func readFlatpak(_ files: String) -> ProgramIdentity? {
    do throws(SystemError) {
      let root = try Directory(files + "/root", .pathOnly)
      // The program controls this directory, so a symbolic link could lead out of it.
      let file = try ifPresent(root.open(".flatpak-info", [.noFollow, .nonBlocking]))
      guard let file else { return nil }
      guard try file.status().kind == .regular else { return .unknown(.invalid) }
      let name = flatpakName(in: try file.readAll(upTo: largestFile))
      return name.map(ProgramIdentity.flatpak) ?? .unknown(.invalid)
    } catch {
      return .unknown(error.unreadable)
    }
  }

  /// Returns the name in Flatpak's file, which has the format of desktop entries.
  static func flatpakName(in bytes: [UInt8]) -> String? {
    var (group, names): (Path, [Path: String]) = (Path(""), [:])
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let text = String(decoding: line, as: UTF8.self)
      if text.begins(with: "[") {
        group = Path(text)
      } else if let sign = text.firstIndex(of: "="), text[..<sign].filter({ $0 != " " }) == "name" {
        names[group] = names[group] ?? String(text[text.index(after: sign)...].drop { $0 == " " })
      }
    }
    let name = names[Path("[Application]")] ?? names[Path("[Runtime]")]
    return name.flatMap { isName($0) && $0.utf8.contains(UInt8(ascii: ".")) ? $0 : nil }
  }

  /// Reads the AppArmor label, such as `snap.firefox.firefox (enforce)`. snapd gives each program
  /// of a snap such a label.
  private static func readSnap(_ files: String) -> ProgramIdentity? {
    for name in ["apparmor/current", "current"] {
      guard let bytes = try? Descriptor(opening: "\(files)/attr/\(name)").readAll(upTo: 4_096)
      else { continue }
      return snap(label: String(decoding: bytes, as: UTF8.self))
    }
    return nil
  }

  /// Returns the snap that a label names, or nil if the label does not belong to a snap.
  static func snap(label: String) -> ProgramIdentity? {
    guard label.begins(with: "snap.") else { return nil }
    let parts = label.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count >= 3, let name = String(parts[1]), isName(name) else {
      return .unknown(.invalid)
    }
    return .snap(name)
  }

  private static func isName(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        Array("-_.".utf8).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      }
  }

  private static func readPath(_ files: String) -> ProgramIdentity {
    do throws(SystemError) {
      let target = try SymbolicLink.target(of: files + "/exe")
      let executable = try FileStatus(of: files + "/exe")
      // If the process is in another mount namespace, `target` can name another file here.
      if let named = try? FileStatus(of: target, following: false), named.isSameFile(as: executable)
      {
        return .path(Path(target))
      }
      let remark = " (deleted)"
      guard target.ends(with: remark),
        try Mount(of: files + "/exe").isHere()
      else { return .unknown(.noFile) }
      return .path(Path(target.trimmingBytes(last: remark.utf8.count)))
    } catch {
      return .unknown(error.unreadable)
    }
  }
}

extension SystemError {
  /// The reason why a file about a process cannot be read.
  fileprivate var unreadable: ProgramIdentity.Reason {
    switch errno {
    case .noSuchFile, .noSuchProcess: .ended
    case .tooLarge, .tooManyLinks, .illegalSequence: .invalid
    default: .noAccess
    }
  }
}
