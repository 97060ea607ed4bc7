import Audio
import Files
import Foundation
import Support
import Testing

/// The tests of `FaultTests` with a separate program whose system calls fail.
@Suite("A program on a failing disk", .enabled(if: Tool.isExpected("cc"), "cc is not installed"))
struct PreloadTests {
  let scratch: Scratch
  let shim: String

  init() throws {
    scratch = try Scratch()
    shim = scratch["fault.so"]
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Preload/fault.c").path
    let result = try Tool.run("cc", ["-shared", "-fPIC", "-O1", "-o", shim, source, "-ldl"])
    try #require(result.status == 0, "\(result.errors)")
  }

  static let kinds = [
    Kind(format: .wav, sample: .int16), Kind(format: .wav, sample: .int24Packed),
    Kind(format: .wav, sample: .int32), Kind(format: .wav, sample: .float32),
    Kind(format: .raw, sample: .int16), Kind(format: .flac, sample: .int16),
    Kind(format: .opus, sample: .int16),
  ]

  /// The numbers of the calls that fail: some of the first hundred, and in a long run a third.
  static let attempts =
    isThorough
    ? Array(stride(from: Int.random(in: 1...3), through: 100, by: 3)) : [1, 2, 3, 9, 30, 100]

  @Test("A failed write is reported with its reason and its file", arguments: kinds)
  func reported(_ kind: Kind) throws {
    let perfect = try perfectBytes(kind)
    for attempt in Self.attempts {
      let fault = ["EIO:once", "ENOSPC:sticky", "EDQUOT:sticky"][attempt % 3]
      let result = try record(kind, fault: "pwrite:\(attempt):\(fault)")
      #expect(result.status == 1)
      #expect(result.output.hasPrefix("cannot write \"\(scratch["out"])\": "))
      if kind.format != .opus { try expectPrefix(of: perfect, kind) }
    }
  }

  @Test(
    "A synchronisation that fails is reported",
    arguments: ["fdatasync:1", "fdatasync:5", "fsync:1"])
  func synchronisation(_ call: String) throws {
    for kind in Self.kinds {
      let result = try record(kind, fault: call + ":EIO:once")
      #expect(result.status == 1)
      #expect(result.output == "cannot write \"\(scratch["out"])\": Input/output error\n")
    }
  }

  @Test("Interrupted and short writes leave a perfect file", arguments: kinds)
  func madeGood(_ kind: Kind) throws {
    let perfect = try perfectBytes(kind)
    for attempt in Self.attempts {
      let fault = ["EINTR:once", "short:once", "short:sticky"][attempt % 3]
      let result = try record(kind, fault: "pwrite:\(attempt):\(fault)")
      #expect(result.status == 0, "\(result.output)")
      let bytes = try contents(of: scratch["out"])
      if kind.format == .opus {
        #expect(bytes.count == perfect.count)
      } else {
        #expect(bytes == perfect)
      }
    }
  }

  @Test("A file size limit is reported, and the file is kept up to that limit", arguments: kinds)
  func limit(_ kind: Kind) throws {
    let perfect = try perfectBytes(kind)
    try? FileManager.default.removeItem(atPath: scratch["out"])
    let script = "ulimit -f \(perfect.count / 1_024 / 2); exec \"$0\" \"$@\""
    let arguments = [kind.format.rawValue, kind.sample.rawValue, scratch["out"]]
    let result = try Tool.run("bash", ["-c", script, Self.probe] + arguments)
    #expect(result.status == 1)
    #expect(result.output == "cannot write \"\(scratch["out"])\": File too large\n")
    #expect(try contents(of: scratch["out"]).count == perfect.count / 1_024 / 2 * 1_024)
    if kind.format != .opus { try expectPrefix(of: perfect, kind) }
  }

  @Test(
    "A full disk is reported, and what fits can be repaired and read",
    .enabled(
      if: ProcessInfo.processInfo.environment["RECORDER_ROOT_TESTS"] == "1",
      "mounts a tmpfs: set RECORDER_ROOT_TESTS=1 as root"))
  func fullAsRoot() throws {
    let folder = scratch["tmpfs"]
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let mounted = try Tool.run("mount", ["-t", "tmpfs", "-o", "size=128k", "none", folder])
    try #require(mounted.status == 0, "\(mounted.errors)")
    defer { _ = try? Tool.run("umount", [folder]) }
    let path = folder + "/out"
    let result = try Tool(path: Self.probe).run(["wav", "S16", path])
    #expect(result.status == 1)
    #expect(result.output == "cannot write \"\(path)\": No space left on device\n")
    let repair = try SoundFileRepair.recover(CheckedFile(openFile(path), named: path), as: .wav)
    #expect(repair.frames > 30_000)
    #expect(try SoundFileReader(path: path).frames == repair.frames)
  }

  private static let probe = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("files-probe").path

  private func record(_ kind: Kind, fault: String?) throws -> Tool.Result {
    try? FileManager.default.removeItem(atPath: scratch["out"])
    let environment = fault.map { ["LD_PRELOAD": shim, "FAULT": $0] } ?? [:]
    let arguments = [kind.format.rawValue, kind.sample.rawValue, scratch["out"]]
    return try Tool(path: Self.probe).run(arguments, environment: environment)
  }

  private func perfectBytes(_ kind: Kind) throws -> [UInt8] {
    let result = try record(kind, fault: nil)
    try #require(result.status == 0, "\(result.output)")
    return try contents(of: scratch["out"])
  }

  /// Expects that the file is the beginning of the perfect file, apart from the header. Sizes and
  /// counts in a header are overwritten; everything else is written once, in order.
  private func expectPrefix(of perfect: [UInt8], _ kind: Kind) throws {
    let bytes = try contents(of: scratch["out"])
    let header = kind.format == .raw ? 0 : 96
    #expect(
      bytes.dropFirst(header).elementsEqual(
        perfect.dropFirst(header).prefix(max(0, bytes.count - header))))
    #expect(bytes.count <= perfect.count)
  }
}
