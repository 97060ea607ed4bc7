import Audio
import Foundation
import Linux
import Support
import Testing

@testable import Files

@Suite("A failing disk")
struct FaultTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Kinds of files that are each written with more than a hundred writes, at low cost.
  static let kinds = [
    Kind(format: .wav, sample: .int16), Kind(format: .wav, sample: .int24Packed, channels: 1),
    Kind(format: .wav, sample: .int32), Kind(format: .wav, sample: .float32),
    Kind(format: .raw, sample: .int16), Kind(format: .flac, sample: .int16, channels: 1),
    Kind(format: .opus, sample: .int16, channels: 1, hertz: 8_000),
  ]

  @Test("A failed n-th write is reported, and nothing is written after it", arguments: kinds)
  func reported(_ kind: Kind) throws {
    let perfect = WriteLog()
    try record(kind, through: perfect)
    #expect(perfect.attempts > 100)
    for attempt in sampled(1...100, 40) {
      let (code, isSticky) = Self.fault(of: [(EIO, false), (ENOSPC, true)], attempt)
      let log = WriteLog(.error(code), at: attempt, isSticky: isSticky)
      #expect(throws: fault(code)) { try record(kind, through: log) }
      #expect(log.attempts == attempt)
      let bytes = try contents(of: scratch["file"])
      #expect(bytes == log.replay(attempt - 1))
      if kind.format != .opus { #expect(bytes == perfect.replay(attempt - 1)) }
    }
  }

  @Test("Interrupted and short writes are completed", arguments: kinds)
  func madeGood(_ kind: Kind) throws {
    try record(kind, through: WriteLog())
    let perfect = try contents(of: scratch["file"])
    let samples = kind.format == .opus ? try decoded(perfect) : []
    let faults: [(WriteLog.Fault, Bool)] = [
      (.error(EINTR), false), (.short, false), (.short, true),
    ]
    for attempt in sampled(1...100, 40) {
      let (fault, isSticky) = Self.fault(of: faults, attempt)
      try record(kind, through: WriteLog(fault, at: attempt, isSticky: isSticky))
      let bytes = try contents(of: scratch["file"])
      // An Ogg stream has a random serial number, and a checksum that includes it.
      if kind.format == .opus {
        #expect(bytes.count == perfect.count)
        #expect(try decoded(bytes) == samples)
      } else {
        #expect(bytes == perfect)
      }
    }
  }

  @Test("A write that is interrupted without end is an error, not a hang")
  func interrupted() throws {
    let log = WriteLog(.error(EINTR), at: 5, isSticky: true)
    #expect(throws: fault(EINTR)) { try record(Self.kinds[0], through: log) }
  }

  @Test("The samples on disk are a prefix that can be decoded", arguments: kinds)
  func prefix(_ kind: Kind) throws {
    guard kind.format != .raw else { return }
    try record(kind, through: WriteLog())
    let whole = try decoded(contents(of: scratch["file"]))
    for attempt in [20, 50, 100] {
      let log = WriteLog(.error(EIO), at: attempt)
      #expect(throws: fault(EIO)) { try record(kind, through: log) }
      let rest = try decoded(contents(of: scratch["file"]))
      #expect(!rest.isEmpty)
      #expect(whole.starts(with: rest))
    }
  }

  @Test("Every call after the first failure throws it again")
  func latched() throws {
    let kind = Self.kinds[0]
    let log = WriteLog(.error(EIO), at: 3)
    let file = try CheckedFile(scratch.create("file"), named: "file", through: log.calls)
    var writer = try SoundFileWriter(file, kind.settings())
    try Ramp(kind: kind).write(0..<10, to: &writer)
    #expect(throws: fault(EIO)) { try Ramp(kind: kind).write(10..<20, to: &writer) }
    #expect(throws: fault(EIO)) { try Ramp(kind: kind).write(20..<30, to: &writer) }
    #expect(throws: fault(EIO)) { try writer.updateHeader() }
    #expect(throws: fault(EIO)) { try file.synchronizeData() }
    #expect(writer.framesWritten == 10)
    #expect(failure(closing: writer)?.description == "cannot write \"file\": Input/output error")
    #expect(log.attempts == 3)
  }

  @Test("A failed sync is reported again, too", arguments: ["fdatasync", "fsync", "ftruncate"])
  func synchronisation(_ function: String) throws {
    var calls = FileCalls()
    let fail: @Sendable (CInt) -> CInt = { _ in
      errno = EIO
      return -1
    }
    switch function {
    case "fdatasync": calls.synchronizeData = fail
    case "fsync": calls.synchronize = fail
    default: calls.truncate = { number, _ in fail(number) }
    }
    let file = try CheckedFile(scratch.create("file"), named: "file", through: calls)
    let writer = try SoundFileWriter(file, Self.kinds[0].settings())
    let expected = SoundFileError.system(SystemError(function, "file", errno: .inputOutput))
    if function == "fdatasync" {
      #expect(throws: expected) { try file.synchronizeData() }
    } else if function == "ftruncate" {
      #expect(throws: expected) { try file.truncate(to: 0) }
    }
    #expect(failure(closing: writer) == expected)
  }

  @Test("A file that another program cut or lengthened is detected")
  func changed() throws {
    let writer = try SoundFileWriter(
      scratch.create("file"), named: "file", Self.kinds[0].settings())
    #expect(truncate(scratch["file"], 10_000) == 0)
    let expected = SoundFileError.sizeDiffers(subject: "file", expected: 80, actual: 10_000)
    #expect(failure(closing: writer) == expected)
  }

  @Test("A failing read is an error, not the end")
  func reading() throws {
    try record(Self.kinds[0], through: WriteLog())
    var calls = FileCalls()
    let read = calls.read
    calls.read = { number, bytes, offset in
      if offset < 5_000 { return read(number, &bytes, offset) }
      errno = EIO
      return -1
    }
    let file = try CheckedFile(openFile(scratch["file"]), named: "file", through: calls)
    let expected = SoundFileError.system(SystemError("pread", "file", errno: .inputOutput))
    #expect(throws: expected) {
      var reader = try SurveyedFile(file, raw: nil, among: .common).reader(of: 0)
      _ = try Ramp(kind: Self.kinds[0]).read(&reader)
    }
  }

  private func fault(_ code: CInt) -> SoundFileError {
    .system(SystemError("pwrite", "file", errno: Errno(rawValue: code)))
  }

  /// Returns one fault for each attempt, in turn.
  private static func fault<Fault>(of faults: [Fault], _ attempt: Int) -> Fault {
    faults[attempt % faults.count]
  }

  private static let samples = Ramp(kind: kinds[0]).samples(0..<(130 * 1_152))

  private func failure(closing writer: consuming SoundFileWriter) -> SoundFileError? {
    do {
      try writer.close()
      return nil
    } catch {
      return error
    }
  }

  private func record(_ kind: Kind, through log: WriteLog) throws {
    let file = try CheckedFile(scratch.create("file"), named: "file", through: log.calls)
    var settings = try kind.settings(tags: kind.format == .raw ? [:] : [.title: "title"])
    settings.flacLevel = 0
    var writer = try SoundFileWriter(file, settings)
    let samples = Self.samples
    let block = (kind.format == .flac ? 1_152 : kind.format == .opus ? 400 : 40) * kind.channels
    for index in 0..<130 {
      let bytes = samples.span.extracting((index * block)..<((index + 1) * block)).bytes
      try writer.write(bytes, of: kind.sample.isFloat ? .float32 : .int32)
      if index.isMultiple(of: 10) { try writer.updateHeader() }
    }
    try writer.close(cues: [SoundFileCue(at: 5, label: "five")])
  }

  /// Returns the samples that can be decoded from a file, whole or not.
  private func decoded(_ bytes: [UInt8]) throws -> [Float] {
    var reader = try SoundFileReader(path: scratch.write(bytes, to: "decoded"))
    var all: [Float] = []
    while true {
      var block = [Float](repeating: 0, count: 1_024 * reader.channels.value)
      var span = block.mutableSpan
      guard let count = try? reader.read(into: &span), count > 0 else { return all }
      all += block.prefix(count * reader.channels.value)
    }
  }
}
