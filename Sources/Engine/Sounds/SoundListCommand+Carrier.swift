package import CommandLine
internal import Sounds

extension SoundListCommand: Carrier {
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let library = SoundLibrary(for: try PlayerSurroundings.environment())
    let text = arguments[search].first?.value ?? ""
    let sounds = try LibrarySound.all(library.list(text), in: library)
    return SoundListReport(sounds: sounds, search: text)
  }
}
