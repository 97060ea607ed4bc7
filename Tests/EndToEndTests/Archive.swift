import Foundation
import Linux
import Support

/// A home directory whose takes were never recorded. Their files are texts, each with different
/// content.
final class Archive {
  let studio: Studio
  /// The content of each take, newest first. It identifies a take after a rename.
  let contents: [String]
  private let kill: String

  /// - Parameter kill: the path of the library that kills, or nil to build it.
  init(_ names: [String], sidecars: Bool = true, kill: String? = nil) throws {
    studio = try Studio(granting: false)
    self.kill = try kill ?? studio.library("kill")
    let state = studio.scratch.path(Machine.state)
    try FileManager.default.createDirectory(
      atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var (lines, contents): ([String], [String]) = ([], [])
    for (place, name) in names.enumerated() {
      let content = "take \(place) " + String(repeating: "x", count: place)
      let path = try studio.scratch.write(content, to: name)
      var sidecar = ""
      if sidecars, place % 2 == 0 {
        try studio.scratch.write("sidecar of " + content, to: name + ".json")
        sidecar = "\"sidecar\":\"\(Self.escaped(path)).json\","
      }
      lines.append(Self.line(place, path, sidecar, bytes: content.utf8.count))
      contents.append(content)
    }
    try Data(lines.joined().utf8).write(to: URL(filePath: state + "/takes.jsonl"))
    self.contents = contents.reversed()
  }

  /// A line of the catalogue.
  static func line(_ place: Int, _ path: String, _ more: String = "", bytes: Int) -> String {
    let path = escaped(path)
    return
      #"{"id":"id\#(place)","name":"take\#(place % 100)","reason":"stopped","exit":0,"path":"\#(path)",\#(more)"#
      + #""device":"test:ramp","rate":48000,"channels":2,"sample":"S16","format":"wav","#
      + #""file":{"rate":48000,"channels":2,"sample":"S16"},"duration":1,"#
      + #""frames":{"elapsed":48000,"captured":48000,"lost":0,"discarded":0,"filled":0,"onDisk":48000},"#
      + #""gaps":[],"peak":-10.5,"clipped":0,"bytes":\#(bytes),"marks":0,"began":"2026-01-01T00:00:00.000001Z"}"#
      + "\n"
  }

  private static func escaped(_ path: String) -> String {
    path.replacingOccurrences(of: "\"", with: "\\\"")
  }

  var trash: String { ".local/share/Trash" }

  /// Returns the variables that kill a program before its call `number` that changes files.
  func killing(_ number: Int) -> [String: String?] {
    ["LD_PRELOAD": kill, "KILL": "\(number)"]
  }

  /// The content of the journal of changes.
  var journal: Data {
    get throws {
      let path = studio.scratch.path("\(Machine.state)/changes.jsonl")
      return FileManager.default.contents(atPath: path) ?? Data()
    }
  }

  /// Inserts a change that moved no file at the front of the journal. It is long enough that the
  /// next change shortens the journal.
  func lengthenJournal() throws {
    let path = "/" + String(repeating: "x", count: 140_000)
    let line =
      #"{"step":1,"action":"rename","moves":[{"take":"x","segment":1,"#
      + #""from":"\#(path)","to":"/y","file":{"inode":"1","size":1,"modified":1}}]}"#
      + "\n" + #"{"step":1,"made":0}"# + "\n"
    try (Data(line.utf8) + journal).write(
      to: URL(filePath: studio.scratch.path("\(Machine.state)/changes.jsonl")))
  }

  /// Runs `recorder` in the home directory.
  @discardableResult
  func run(_ arguments: String...) throws -> Outcome { try run(arguments) }

  @discardableResult
  func run(_ arguments: [String]) throws -> Outcome {
    let ended = try Tool.run(
      try Products.recorder, arguments, environment: studio.environment,
      directory: studio.scratch.path)
    return Outcome(code: ended.code, output: ended.outputText, errors: ended.errorText)
  }

  /// Returns the takes that `recorder takes` lists, oldest first.
  func takes() throws -> [[String: Any]] {
    let outcome = try run("takes", "--json")
    return try parsed(outcome.output)["takes"] as? [[String: Any]] ?? []
  }

  /// Returns the content of every file outside of recorder's own directories, sorted.
  func files() throws -> [String] {
    try (names("") + names(trash + "/files")).map { name in
      String(decoding: try studio.scratch.read(name), as: UTF8.self)
    }.sorted()
  }

  /// Returns the regular files of a directory, without libraries.
  func names(_ directory: String) -> [String] {
    let path = studio.scratch.path(directory)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { name in
      let kind = try? FileStatus(of: path + "/" + name, following: false).kind
      return kind == .regular && !name.hasSuffix(".so")
    }.map { directory.isEmpty ? $0 : directory + "/" + $0 }
  }
}
