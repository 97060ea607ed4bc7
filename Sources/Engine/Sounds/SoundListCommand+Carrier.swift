package import CommandLine
internal import Playback

extension SoundListCommand: Carrier {
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let library = SoundLibrary(for: try PlayerSurroundings.environment())
    let text = arguments[search].first?.value ?? ""
    let sounds = library.list(text).map { LibrarySound($0, in: library) }
    return SoundListReport(sounds: sounds, search: text)
  }
}
