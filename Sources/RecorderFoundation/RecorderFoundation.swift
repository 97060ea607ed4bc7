public import Foundation
public import RecorderKit

extension AudioFileReader {
  /// Opens a sound file. Throws if the file is not a sound, or its type is not supported.
  public convenience init(_ url: URL) throws(RecorderError) { try self.init(url.filePath) }
}

extension AudioFileWriter {
  /// Creates a file.
  ///
  /// - Parameters:
  ///   - url: the file, with the extension `.wav`, `.flac`, `.opus` or that of another supported
  ///     format.
  ///   - format: the format of the file. Encoded samples, as in Opus, have no sample format in the
  ///     file.
  ///   - replacing: whether to replace an existing file. It is replaced at once.
  public convenience init(
    _ url: URL, format: AudioFormat, replacing: Bool = false
  ) throws(RecorderError) {
    try self.init(url.filePath, format: format, replacing: replacing)
  }
}

extension Recorder {
  /// Starts to record, and returns once the first frame is captured.
  ///
  /// - Parameters:
  ///   - url: the file. Its extension chooses the format.
  ///   - replacing: whether to replace an existing file. It is replaced at the end, by the complete
  ///     recording.
  public func start(to url: URL, replacing: Bool = false) async throws(RecorderError) -> Take {
    try await start(to: url.filePath, replacing: replacing)
  }

  /// Records until the recording ends for any reason, and returns the result. Cancelling the task
  /// saves the recorded frames.
  ///
  /// - Parameters:
  ///   - url: the file. Its extension chooses the format.
  ///   - replacing: whether to replace an existing file. It is replaced at the end, by the complete
  ///     recording.
  ///   - watching: called with the recording once it runs. It may end the recording.
  @discardableResult
  public func record(
    to url: URL, replacing: Bool = false, watching: (@Sendable (Take) async -> Void)? = nil
  ) async throws(RecorderError) -> Take.Result {
    try await record(to: url.filePath, replacing: replacing, watching: watching)
  }
}

extension Take {
  /// The location of the file that is being recorded, or nil if there is none.
  public var url: URL? { path.map { URL(filePath: $0) } }
}

extension Take.Result {
  /// The location of the file, or nil if there is none.
  public var url: URL? { path.map { URL(filePath: $0) } }
}

extension RemoteTake {
  /// The location of the file that is being recorded, or nil for a recording into a pipe.
  public var url: URL? { path.map { URL(filePath: $0) } }
}

extension Sound {
  /// Returns the sound in a file, and reads its header now.
  public static func file(_ url: URL) throws(RecorderError) -> Sound { try file(url.filePath) }

  /// Returns the sound in the bytes of a file, which are copied.
  ///
  /// - Parameter name: a name for messages.
  public static func data(
    _ data: Data, named name: String = "the data"
  ) throws(RecorderError) -> Sound {
    try Sound.data(data.span, named: name)
  }
}

extension SoundLibrary {
  /// The sound library of the current user.
  ///
  /// - Parameter bundled: the directory of the sounds that come with recorder.
  public init(bundled: URL) throws(RecorderError) { self.init(bundled: try bundled.filePath) }
}

extension URL {
  /// The path of a file URL. Throws for any other URL.
  var filePath: String {
    get throws(RecorderError) {
      guard isFileURL else { throw .invalid("“\(self)” is not a file on this machine") }
      return path(percentEncoded: false)
    }
  }
}

extension AudioBuffer {
  /// The samples as bytes: little-endian `Float`, frame by frame.
  public var data: Data { unsafe array.withUnsafeBytes { unsafe Data($0) } }

  /// Creates a buffer from bytes in the format of the property `data`. An incomplete frame at the
  /// end is dropped.
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
