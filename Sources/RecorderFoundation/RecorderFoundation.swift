public import Foundation
public import RecorderKit

extension AudioFileReader {
  /// Opens a file of any program; throws where it is no sound, or of a kind that is not read.
  public convenience init(_ url: URL) throws(RecorderError) { try self.init(url.filePath) }
}

extension AudioFileWriter {
  /// Begins a file.
  ///
  /// - Parameters:
  ///   - url: its name ends in `.wav`, `.flac`, `.opus` or another ending of a kind that is written.
  ///   - format: samples that are encoded, as in Opus, have no format of their own in the file.
  ///   - replacing: true to replace a file of that name, at once.
  public convenience init(
    _ url: URL, format: AudioFormat, replacing: Bool = false
  ) throws(RecorderError) {
    try self.init(url.filePath, format: format, replacing: replacing)
  }
}

extension Recorder {
  /// Begins to record; returns once the first frame is captured.
  ///
  /// - Parameters:
  ///   - url: the file, whose ending chooses the format.
  ///   - replacing: true to replace a file of that name, by the whole recording at its end.
  public func start(to url: URL, replacing: Bool = false) async throws(RecorderError) -> Take {
    try await start(to: url.filePath, replacing: replacing)
  }

  /// Records until the end, whatever brings it, and returns the result; cancelling the task saves what was recorded.
  ///
  /// - Parameters:
  ///   - url: the file, whose ending chooses the format.
  ///   - replacing: true to replace a file of that name, by the whole recording at its end.
  ///   - watching: called with the recording once it runs; it may end it.
  @discardableResult
  public func record(
    to url: URL, replacing: Bool = false, watching: (@Sendable (Take) async -> Void)? = nil
  ) async throws(RecorderError) -> Take.Result {
    try await record(to: url.filePath, replacing: replacing, watching: watching)
  }
}

extension Take {
  /// The place of the file that it is going to be.
  public var url: URL? { path.map { URL(filePath: $0) } }
}

extension Take.Result {
  /// The place of the file; nil where there is none.
  public var url: URL? { path.map { URL(filePath: $0) } }
}

extension RemoteTake {
  /// The place of the file that it is going to be; nil for one that goes to a pipe.
  public var url: URL? { path.map { URL(filePath: $0) } }
}

extension Sound {
  /// The sound in a file, of which the head is read now.
  public static func file(_ url: URL) throws(RecorderError) -> Sound { try file(url.filePath) }

  /// The sound in the bytes of a file, which are copied.
  ///
  /// - Parameter name: a name for messages.
  public static func data(
    _ data: Data, named name: String = "the data"
  ) throws(RecorderError) -> Sound {
    try Sound.data(data.span, named: name)
  }
}

extension SoundLibrary {
  /// The library of this process's user.
  ///
  /// - Parameter bundled: the directory of the sounds that come with recorder.
  public init(bundled: URL) throws(RecorderError) { self.init(bundled: try bundled.filePath) }
}

extension URL {
  /// The path of a file; throws for what lies elsewhere.
  var filePath: String {
    get throws(RecorderError) {
      guard isFileURL else { throw .invalid("“\(self)” is no file of this machine") }
      return path(percentEncoded: false)
    }
  }
}

extension AudioBuffer {
  /// The samples as bytes: `Float`, little-endian, a frame after the other.
  public var data: Data { unsafe array.withUnsafeBytes { unsafe Data($0) } }

  /// A stretch of the samples in `data`, which are as those of `data`; incomplete ones at the end are left out.
  public init(_ data: Data, format: AudioFormat, position: Int64 = 0) {
    let count = data.count / MemoryLayout<Float>.size
    let samples = unsafe [Float](unsafeUninitializedCapacity: count) { memory, initialized in
      unsafe data.copyBytes(to: memory, count: count * MemoryLayout<Float>.size)
      initialized = count
    }
    self.init(samples, format: format, position: position)
  }
}

extension RecorderError: LocalizedError {
  /// The sentence that `localizedDescription` returns.
  public var errorDescription: String? { description }
}
