internal import CSndFile

/// libsndfile, loaded at its first use: with the libraries that it needs itself it would be a tenth of the time in
/// which a player that needs none of them begins to play.
///
/// Unchecked: functions of a library that is never unloaded.
@safe package struct SoundFileLibrary: @unchecked Sendable {
  let functions: sndfile_functions

  private static let loaded = load()

  private static func load() -> Result<SoundFileLibrary, LoadFailure> {
    var functions = sndfile_functions()
    if let words = unsafe load_sndfile(&functions) {
      return .failure(LoadFailure(words: unsafe String(cString: words)))
    }
    return .success(SoundFileLibrary(functions: functions))
  }

  private struct LoadFailure: Error {
    let words: String
  }

  /// The library, for a file of this name.
  static func get(for label: String) throws(SoundFileError) -> SoundFileLibrary {
    switch loaded {
    case .success(let library): return library
    case .failure(let failure):
      throw .library(function: "dlopen", subject: label, code: 0, words: failure.words)
    }
  }

  /// Loads the library ahead, for a process that may not load it later.
  package static func prepare() throws(SoundFileError) { _ = try get(for: "libsndfile") }
}
