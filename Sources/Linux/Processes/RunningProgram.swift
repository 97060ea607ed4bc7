internal import Glibc

/// A process with its program, at one moment.
package struct RunningProgram: Hashable, Sendable {
  /// The process number, or 0 if it is not known here.
  package let process: Int32
  /// The program.
  package let identity: ProgramIdentity
  /// The script that an interpreter executes, or nil. It comes from the arguments of the process,
  /// so it is for display only.
  package var script: String?
  /// The user whose rights apply to the process, or nil if unknown.
  package var user: UInt32?

  /// Creates a process whose program is unknown.
  package init(_ process: Int32, unknown reason: ProgramIdentity.Reason) {
    self.init(process, .unknown(reason))
  }

  private init(_ process: Int32, _ identity: ProgramIdentity) {
    (self.process, self.identity) = (process, identity)
  }

  /// Reads the facts of a process. They never come from a later process with the same number.
  package init(of process: borrowing OtherProcess) {
    let number = process.identifier
    let identity = ProgramIdentity(reading: number)
    let script = identity.interpretedScript(of: number)
    let user = ProcessFacts(number).user
    // If the process has not ended, its number was not reused. So the facts above belong to this
    // process.
    guard (try? process.descriptor.wait(upTo: .zero)) == false else {
      self.init(number, unknown: .ended)
      return
    }
    self.init(number, identity)
    self.script = script
    self.user = user
  }

  /// Reads the facts of the process that has the number at this time.
  package init(_ number: Int32) {
    guard number > 0 else {
      self.init(0, unknown: .noProcess)
      return
    }
    do throws(SystemError) {
      self.init(of: try OtherProcess(number))
    } catch {
      self.init(number, unknown: error.errno == .noSuchProcess ? .ended : .noAccess)
    }
  }
}

/// Facts of the `status` file of a process in /proc.
struct ProcessFacts {
  /// The user whose rights apply, or nil.
  var user: UInt32?
  /// The process number in each PID namespace that contains the process, the innermost one last.
  var numbers: [Int32] = []

  init(_ process: Int32) {
    let bytes = try? Descriptor(opening: "/proc/\(process)/status").readAll(upTo: 65_536)
    for line in (bytes ?? []).split(separator: UInt8(ascii: "\n")) {
      let words = line.split { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
        .map { String(decoding: $0, as: UTF8.self) }
      switch words.first {
      case "Uid:" where words.count > 2: user = UInt32(words[2])
      case "NSpid:": numbers = words.dropFirst().compactMap { Int32($0) }
      default: break
      }
    }
  }
}

extension ProgramIdentity {
  /// The names of programs that execute scripts, without a version. The letters of each program are
  /// the short options whose value is code. The arguments after such an option are not scripts.
  private static let interpreters = [
    "python": "cm", "perl": "eE", "ruby": "e", "node": "ep", "nodejs": "ep", "bash": "c",
    "dash": "c", "sh": "c", "zsh": "c", "ksh": "c", "fish": "c", "busybox": "c", "lua": "e",
    "luajit": "e", "php": "rBR", "tclsh": "", "wish": "", "java": "", "gjs": "c", "Rscript": "e",
    "guile": "c", "deno": "ep", "bun": "ep",
  ]

  /// The beginnings of long options whose value is code.
  private static let codeOptions = ["--eval", "--print", "--command", "--run"]

  /// Returns the script of an interpreter: its first argument that is a file. Returns nil for any
  /// other program, and if the interpreter executes code from its arguments.
  fileprivate func interpretedScript(of process: Int32) -> String? {
    guard case .path(let path) = self, let name = path.text.pathNames.last,
      // The name may end with a version, as in `python3.11`.
      let letters = Self.interpreters[String(name.prefix { !$0.isNumber })],
      let bytes = try? Descriptor(opening: "/proc/\(process)/cmdline").readAll(upTo: 1 << 20)
    else { return nil }
    let directory = (try? SymbolicLink.target(of: "/proc/\(process)/cwd")) ?? ""
    for argument in bytes.split(separator: 0).dropFirst().prefix(64) {
      guard let text = String(validating: argument, as: UTF8.self) else { continue }
      if text.begins(with: "--") {
        if Self.codeOptions.contains(where: { text.begins(with: $0) }) { return nil }
      } else if text.begins(with: "-") {
        // The option is the first letter, as in `-c` and `-cCODE`, or the last letter, as in `-lc`.
        // Other letters can belong to the value of another option.
        let option = text.dropFirst()
        let last = option.utf8.count <= 5 ? option.last : nil
        if [option.first, last].compactMap(\.self).contains(where: letters.contains) { return nil }
      } else {
        let file = text.begins(with: "/") ? text : directory.path(of: text)
        if (try? FileStatus(of: file))?.kind == .regular { return file }
      }
    }
    return nil
  }
}
