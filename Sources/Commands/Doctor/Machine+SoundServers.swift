internal import Linux

extension Machine {
  /// Returns the sound servers of the desktop, with ALSA's plugins for them.
  ///
  /// - Parameter runtime: the runtime directory of recorder. The sockets of the servers are below
  ///   its parent directory.
  static func soundServers(runtime: String) -> [SoundServer] {
    let parent = runtime.pathNames.dropLast().map { "/" + $0 }.joined()
    return [
      SoundServer(
        name: "PipeWire", isRunning: isSocket(parent + "/pipewire-0"),
        hasPlugin: hasPlugin("pipewire"), packages: "pipewire-alsa"),
      SoundServer(
        name: "PulseAudio", isRunning: isSocket(parent + "/pulse/native"),
        hasPlugin: hasPlugin("pulse"),
        packages:
          "libasound2-plugins (Debian), alsa-plugins-pulseaudio (Fedora), alsa-plugins (Arch)"
      ),
    ].withoutStandIn
  }

  private static func isSocket(_ path: String) -> Bool {
    (try? FileStatus(of: path))?.kind == .socket
  }

  /// Returns whether an ALSA plugin is installed. The plugins are in the directory `alsa-lib` of
  /// the library directory, whose path depends on the distribution.
  private static func hasPlugin(_ name: String) -> Bool {
    let libraries = ["/usr/lib", "/usr/lib64", "/usr/local/lib"]
    let triples = (try? Directory("/usr/lib").names()) ?? []
    let directories = libraries + triples.filter { $0.holds("-linux-") }.map { "/usr/lib/" + $0 }
    let usual = directories.map { $0 + "/alsa-lib" }
    let searched = Environment.value(of: "ALSA_PLUGIN_DIR").map { [$0] } ?? usual
    return searched.contains { directory in
      (try? FileStatus(of: "\(directory)/libasound_module_pcm_\(name).so")) != nil
    }
  }
}

extension [Machine.SoundServer] {
  /// At most one running server, preferably one with a plugin for ALSA. PipeWire also provides the
  /// socket of PulseAudio, so both servers may seem to run.
  fileprivate var withoutStandIn: Self {
    let reached = filter { $0.isRunning && $0.hasPlugin }
    return reached.isEmpty ? Array(filter(\.isRunning).prefix(1)) : Array(reached.prefix(1))
  }
}
