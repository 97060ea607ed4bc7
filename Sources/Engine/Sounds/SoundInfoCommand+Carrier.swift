package import CommandLine
internal import Playback

extension SoundInfoCommand: Carrier {
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let typed = arguments[sound].first?.value ?? ""
    let library = SoundLibrary(for: try PlayerSurroundings.environment())
    let found: LibrarySound
    do throws(SoundLibraryError) {
      let lookup = try library.open(typed)
      found = LibrarySound(library.entry(of: lookup), lookup)
    } catch {
      throw Failure(finding: typed, error)
    }
    if let problem = found.problem {
      throw Failure(
        .notASound, Message("cannot read", on: found.path ?? typed, why: problem))
    }
    return SoundInfoReport(typed: typed, sound: found)
  }
}
