internal import Control
internal import Linux
internal import Sounds

extension UserSounds {
  /// The user's own, as a program with this environment means them.
  init(for environment: PlayerEnvironment) {
    self.init((environment["XDG_DATA_HOME"] ?? "") + "/recorder/sounds")
  }
}

extension SoundLibrary {
  /// The library as a program with this environment means it.
  init(for environment: PlayerEnvironment) {
    let data = environment["XDG_DATA_HOME"] ?? ""
    let shared = environment["XDG_DATA_DIRS"] ?? "/usr/local/share:/usr/share"
    let directories = [data] + shared.split(separator: ":").map(String.init)
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first
    self.init(
      user: UserSounds(for: environment).path,
      bundled: Self.bundledDirectory.flatMap { try? .init(in: $0) },
      themes: SoundThemes(
        in: directories.filter { $0.begins(with: "/") }.map { $0 + "/sounds" },
        theme: environment["RECORDER_SOUND_THEME"] ?? "__custom",
        isChosen: environment["RECORDER_SOUND_THEME"] != nil,
        profile: environment["RECORDER_SOUND_PROFILE"] ?? "stereo", locale: locale))
  }

  /// Where the sounds are that come with the program: installed beside it, or in its sources.
  static var bundledDirectory: String? {
    guard let program = try? ExecutablePath.current() else { return nil }
    var places = ["/usr/local/share/recorder", "/usr/share/recorder"]
    var names = program.pathNames
    for depth in 0..<6 where names.count > 1 {
      names.removeLast()
      let directory = "/" + names.joined(separator: "/")
      places.insert(directory + "/Resources", at: depth)
      if depth == 2 { places.insert(directory + "/share/recorder", at: 0) }
    }
    return places.first { (try? FileStatus(of: $0 + "/index.json")) != nil }
  }
}
