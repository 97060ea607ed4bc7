package import Linux

/// The open file of a sound that was asked for by name.
package struct SoundFile: ~Copyable, Sendable {
  /// The open file.
  package let descriptor: Descriptor
  /// The path by which it was opened, for messages and as a key.
  package let path: String
  /// Its status by the kernel; it is a regular file.
  package let status: FileStatus
  /// The name under which it was found, which may be shorter than the one asked for.
  package let name: String
  /// The place where it was found.
  package let source: SoundSource
}

/// The file that a name leads to, or the wish not to hear it.
package enum SoundLookup: ~Copyable, Sendable {
  case file(SoundFile)
  /// Somebody does not want to hear it; playing it is a success without sound.
  case disabled(name: String, source: SoundSource)

  /// The name under which it was found, and where.
  package var origin: (name: String, source: SoundSource) {
    switch self {
    case .file(let file): (file.name, file.source)
    case .disabled(let name, let source): (name, source)
    }
  }
}

/// The reason why there is nothing to play under a name.
package enum SoundLibraryError: Error, Hashable, Sendable {
  /// It cannot be a name.
  case invalid(SoundNameError)
  /// Nobody knows it; what it may have been meant for.
  case unknown(String, nearest: [String])
  /// It is there, but no file that can be opened: what the system said.
  case unusable(path: String, SystemError)
  /// It is there, but it is a directory, a pipe or a device.
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
