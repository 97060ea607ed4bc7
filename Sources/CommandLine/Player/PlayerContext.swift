package import Control
internal import Linux

/// The environment variables of this process that select the device and the sounds.
package enum PlayerContext {
  /// The prefixes of the variables that select a device and its server.
  private static let families = ["ALSA_", "PIPEWIRE_", "PULSE_", "JACK_"]
  private static let names: Set<String> = [
    "HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "LC_ALL",
    "LC_MESSAGES", "LANG", "RECORDER_SOUND_THEME", "RECORDER_SOUND_PROFILE",
  ]

  /// Reads the variables, and completes them if this process was started with none, as by cron.
  package static func environment() throws(Failure) -> PlayerEnvironment {
    var environment: PlayerEnvironment = [:]
    for entry in Environment.all {
      guard let equals = entry.firstIndex(of: "=") else { continue }
      let (name, value) = (String(entry[..<equals]), entry[entry.index(after: equals)...])
      guard names.contains(name) || families.contains(where: name.hasPrefix) else { continue }
      environment[name] = value.isEmpty ? nil : String(value)
    }
    let facts: BaseDirectories.Facts
    let base: BaseDirectories
    do {
      facts = try .current()
      base = try BaseDirectories(facts)
    } catch let error as DirectoryRefusal {
      throw Failure(unusable: error)
    } catch {
      throw Failure(.failed, Message("the user database cannot be read: \(error)"))
    }
    environment["HOME"] = base.home
    environment["XDG_DATA_HOME"] = String(base.data.dropLast("/recorder".count))
    environment["XDG_RUNTIME_DIR"] = facts.login
    return environment
  }
}
