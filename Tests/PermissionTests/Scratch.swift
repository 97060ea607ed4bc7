import Foundation
import Linux

@testable import Permission

/// A directory for one test, with a store in it. It is removed after the test.
final class Scratch {
  let path: String
  let store: PermissionStore

  init(machine: String = "here") throws {
    path = FileManager.default.temporaryDirectory.path + "/permission-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    store = PermissionStore(
      path: path + "/recorder",
      owner: StoreOwner(user: Environment.effectiveUser, machine: machine),
      patience: .milliseconds(200))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var file: String { store.path + "/permissions.json" }
  var marker: String { store.path + "/permissions.denied" }
  var policies: String { path + "/recorder.policy/policy.d" }

  var directories: PolicyDirectories {
    PolicyDirectories(
      paths: [policies, path + "/recorder.vendor/policy.d"], owner: Environment.effectiveUser)
  }

  func authority(_ clock: @escaping @Sendable () -> ClockReading = { .morning }) -> Authority {
    Authority(
      store: store, directories: directories, account: .alice,
      process: {
        ProcessFacts(
          user: 1_000, id: 7, parent: 1, executable: "/usr/bin/recorder", terminal: "pts/1")
      }, clock: clock)
  }

  /// Stores a decision and returns the bytes of the file.
  @discardableResult
  func record(_ record: Record, for scope: Scope = .everyone) throws -> Data {
    _ = try store.update(at: record.at) { _ in .record(scope, record) }
    return try bytes()
  }

  func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: file)) }

  func write(_ bytes: Data, to path: String? = nil, mode: Int = 0o600) throws {
    let path = path ?? file
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try bytes.write(to: URL(fileURLWithPath: path))
    try setMode(mode, of: path)
  }

  func setMode(_ mode: Int, of path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: store.path).sorted()
  }

  /// Writes a policy file. All directories above it have safe permissions.
  func policy(_ text: String, _ name: String = "10-site.json", vendor: Bool = false) throws {
    let directory = vendor ? path + "/recorder.vendor/policy.d" : policies
    try write(Data(text.utf8), to: directory + "/" + name, mode: 0o644)
  }
}

/// The program `permission-hammer`, next to the bundle of tests.
enum Hammer {
  static let path = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appendingPathComponent("permission-hammer").path

  /// Starts a process of it, with its output in a pipe.
  static func start(_ arguments: String...) throws -> (process: Process, output: FileHandle) {
    try start(path, arguments)
  }

  static func start(
    _ program: String, _ arguments: [String]
  ) throws -> (process: Process, output: FileHandle) {
    let process = Process()
    let pipe = Foundation.Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    return (process, pipe.fileHandleForReading)
  }

  /// Waits for the end of the process. Returns its exit code and its output.
  static func finish(
    _ started: (process: Process, output: FileHandle)
  ) -> (code: Int32, lines: [String]) {
    let data = started.output.readDataToEndOfFile()
    started.process.waitUntilExit()
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    return (started.process.terminationStatus, lines)
  }
}
