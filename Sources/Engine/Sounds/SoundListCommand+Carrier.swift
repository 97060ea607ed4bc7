package import CommandLine
internal import Sounds

extension SoundListCommand: Carrier {
  /// Lists the sounds whose name or meaning contains the search text, or all of them.
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let environment = try PlayerSurroundings.environment()
    let library = SoundLibrary(for: environment, bundled: BundledSounds.directory)
    let text = arguments[search].first?.value ?? ""
    let sounds = try LibrarySound.all(library.list(text), in: library)
    return SoundListReport(sounds: sounds, search: text)
  }
}
