package import Linux

/// The open file of a sound that was requested by name.
package struct SoundFile: ~Copyable, Sendable {
  /// The open file.
  package let descriptor: Descriptor
  /// The path by which it was opened, for messages and as a key.
  package let path: String
  /// The status of the open file, which is a regular file.
  package let status: FileStatus
  /// The name under which it was found, which may be shorter than the requested one.
  package let name: String
  /// The place where it was found.
  package let source: SoundSource
}

/// The file of a name, or the fact that the sound is disabled.
package enum SoundLookup: ~Copyable, Sendable {
  case file(SoundFile)
  /// The sound is disabled; playing it succeeds without sound.
  case disabled(name: String, source: SoundSource)

  /// The name under which it was found, and its source.
  package var origin: (name: String, source: SoundSource) {
    switch self {
    case .file(let file): (file.name, file.source)
    case .disabled(let name, let source): (name, source)
    }
  }
}

/// The reason why there is nothing to play under a name.
package enum SoundLibraryError: Error, Hashable, Sendable {
  /// The text is not a valid name.
  case invalid(SoundNameError)
  /// No sound has the name; the nearest names.
  case unknown(String, nearest: [String])
  /// The file cannot be opened, for the system's reason.
  case unusable(path: String, SystemError)
  /// The path is a directory, a pipe or a device.
  case notRegular(path: String)
}

extension SoundLibraryError: CustomStringConvertible {
  /// `no sound "x"`.
  package var description: String {
    switch self {
    case .invalid(let error): "\(error)"
    case .unknown(let name, let nearest):
      nearest.isEmpty
        ? "no sound \"\(name)\""
        : "no sound \"\(name)\"; is it \(nearest.map { "\"\($0)\"" }.joined(separator: " or "))?"
    case .unusable(let path, let error): "\"\(path)\" cannot be used (\(error))"
    case .notRegular(let path): "\"\(path)\" is no file"
    }
  }
}
