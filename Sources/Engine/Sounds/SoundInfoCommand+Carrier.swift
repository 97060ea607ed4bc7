package import CommandLine
internal import Sounds

extension SoundInfoCommand: Carrier {
  /// Finds a sound by its name and reads its file; throws for one that cannot be played.
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let typed = arguments[self.sound].first?.value ?? ""
    let environment = try PlayerSurroundings.environment()
    let library = SoundLibrary(for: environment, bundled: BundledSounds.directory)
    let sound = try LibrarySound.read([find(typed, in: library)])[0]
    if let problem = sound.problem {
      throw Failure(
        .notASound, Message("cannot read", on: sound.path ?? typed, why: problem))
    }
    return SoundInfoReport(typed: typed, sound: sound)
  }

  private static func find(
    _ typed: String, in library: SoundLibrary
  ) throws(Failure) -> LibrarySound {
    do throws(SoundLibraryError) {
      let found = try library.open(typed)
      return LibrarySound(library.entry(of: found), found)
    } catch {
      throw Failure(finding: typed, error)
    }
  }
}
