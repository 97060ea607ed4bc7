internal import CommandLine
internal import Control
internal import Files
internal import Linux

/// The file that a take is while it is recorded: hidden, private, beside the one that it becomes.
final class PartFile: Sendable {
  let directory: Directory
  /// The name that it becomes.
  let name: String
  /// The name that it has until then.
  let part: String
  /// The open file, until somebody writes it.
  let file: Handoff<Descriptor>
  private let replaces: Bool
  private let journal: Journal

  /// Makes the directory where it is missing, and refuses a name that is taken.
  static func directory(for plan: OutputPlan) throws(Failure) -> Directory? {
    guard let path = plan.path else { return nil }
    let (parent, name) = split(path)
    let directory = try open(parent, for: path)
    guard plan.replaces || (try? directory.status(of: name)) == nil else {
      throw refusal(path, "the file exists", advice: "give another name, or --force to replace it")
    }
    return directory
  }

  private static func open(_ parent: String, for path: String) throws(Failure) -> Directory {
    do throws(SystemError) {
      try Directory.makeAll(parent)
      return try Directory(parent)
    } catch {
      throw refusal(path, "\(error.errno)")
    }
  }

  /// Makes the file; one that a dead session left under the usual name stays.
  static func make(
    in directory: consuming Directory, for plan: OutputPlan
  ) throws(Failure) -> PartFile {
    let path = plan.path ?? ""
    let name = split(path).name
    var attempt = 1
    while true {
      let part = ".\(name)" + (attempt == 1 ? "" : "-\(attempt)") + ".part"
      do throws(SystemError) {
        let file = try directory.open(part, [.readWrite, .create, .exclusive, .noFollow])
        return PartFile(directory, file, name: name, part: part, replaces: plan.replaces)
      } catch {
        guard error.errno == .exists, attempt < 100 else { throw refusal(path, "\(error.errno)") }
        attempt += 1
      }
    }
  }

  private init(
    _ directory: consuming Directory, _ file: consuming Descriptor, name: String, part: String,
    replaces: Bool
  ) {
    self.directory = directory
    self.file = Handoff(file)
    self.name = name
    self.part = part
    self.replaces = replaces
    journal = Journal()
  }

  static func refusal(_ path: String, _ why: String, advice: String? = nil) -> Failure {
    Failure(.outputRefused, Message("cannot record to", on: path, why: why, advice: advice))
  }

  static func split(_ path: String) -> (directory: String, name: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let parent = String(path.dropLast(name.count))
    return (parent.isEmpty ? "." : parent, name)
  }
}

extension PartFile {
  var path: String { directory.path(of: name) }
  var partPath: String { directory.path(of: part) }

  /// Bytes that can still be written beside it; nil where the system does not say.
  var freeBytes: Int64? { try? directory.descriptor.freeSpace() }

  /// Removes what was recorded.
  func discard() {
    try? directory.remove(part)
    journal.remove(from: directory, named: part)
  }

  /// Writes down what happened to the take, so that it outlives a crash.
  func note(_ line: String) { journal.append(line, in: directory, named: part) }

  /// Gives the file its name, another where somebody took that meanwhile; returns the one that it got.
  func publish() throws(SystemError) -> String {
    let name = try publishedName()
    try directory.synchronize()
    journal.remove(from: directory, named: part)
    return name
  }

  private func publishedName() throws(SystemError) -> String {
    if replaces {
      try directory.rename(part, to: name)
      return name
    }
    var attempt = 1
    while true {
      let candidate = attempt == 1 ? name : numbered(attempt)
      do {
        try directory.renameWithoutReplacing(part, to: candidate)
        return candidate
      } catch let error where error.errno == .exists && attempt < 1_000 {
        attempt += 1
      }
    }
  }

  /// `take.wav` → `take-002.wav`.
  private func numbered(_ number: Int) -> String {
    let digits = String(number)
    let suffix = "-" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name + suffix }
    return name[..<dot] + suffix + name[dot...]
  }
}
