internal import Digest
internal import JSON
package import Linux

/// A file that `guard on` writes for the sound server or for systemd.
package struct GuardFile: Sendable {
  package let path: Path
  let content: [UInt8]

  var digest: String { SHA256(of: content).hexadecimal }

  /// The directories of the user's files.
  package struct Places: Sendable {
    /// The directory with the user's settings of all programs.
    package let configuration: String
    /// The directory with the user's data of all programs.
    package let data: String
    /// The directory with the state of recorder.
    package let state: String

    /// Creates the directories of a user.
    package init(_ base: BaseDirectories) {
      // The directories of all programs are above the directories of recorder.
      configuration = base.configuration.directoriesAbove.first ?? "/"
      data = base.data.directoriesAbove.first ?? "/"
      state = base.state
    }

    /// The script of WirePlumber 0.5 and the file that loads it.
    fileprivate var current: [(source: String, path: String)] {
      [
        ("recorder-guard.lua", data + "/wireplumber/scripts/recorder-guard.lua"),
        (
          "wireplumber.conf",
          configuration + "/wireplumber/wireplumber.conf.d/60-recorder-guard.conf"
        ),
      ]
    }

    fileprivate var pipeWire: (source: String, path: String) {
      ("pipewire.conf", configuration + "/pipewire/pipewire.conf.d/60-recorder-guard.conf")
    }

    /// The script of WirePlumber 0.4 and the file that loads it.
    fileprivate var old: [(source: String, path: String)] {
      [
        ("recorder-guard-0.4.lua", configuration + "/wireplumber/scripts/recorder-guard.lua"),
        ("wireplumber-0.4.lua", configuration + "/wireplumber/main.lua.d/60-recorder-guard.lua"),
      ]
    }

    fileprivate var unit: String { configuration + "/systemd/user/\(UserServices.unit)" }

    /// All paths that `guard on` may have written.
    var all: [Path] { (current + [pipeWire] + old).map { Path($0.path) } + [Path(unit)] }
  }

  private static let largest = 1 << 20

  /// Returns the files that a sound server needs, with their content from the installation. The
  /// mode `log` needs no files. The script comes before the settings that load it, because with
  /// these settings, WirePlumber does not start without the script.
  package static func forServer(
    _ software: SoundSoftware, _ mode: GuardMode, _ places: Places, installedIn directory: String
  ) throws(SystemError) -> [GuardFile] {
    guard mode != .log else { return [] }
    let chosen: [(source: String, path: String)] =
      switch software.script {
      case .current(let closesSocket): places.current + (closesSocket ? [places.pipeWire] : [])
      case .old: places.old
      case nil: []
      }
    var files: [GuardFile] = []
    for (source, path) in chosen {
      let content = try Descriptor(opening: directory.path(of: source)).readAll(upTo: largest)
      files.append(GuardFile(path: Path(path), content: content))
    }
    return files
  }

  /// Returns the unit that runs a guard.
  package static func unit(
    _ program: String, _ mode: GuardMode, _ places: Places
  ) -> GuardFile {
    let text = UserServices.text(program, mode, state: Environment.text(of: "XDG_STATE_HOME"))
    return GuardFile(path: Path(places.unit), content: Array(text.utf8))
  }

  /// Whether this is the unit, and not a file of the sound server.
  package var isUnit: Bool { path.isUnit }
}

extension Path {
  /// Whether this is the path of the guard's unit.
  package var isUnit: Bool { text.ends(with: "/" + UserServices.unit) }
}
