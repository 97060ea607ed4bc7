internal import Linux

extension Machine {
  /// The sound servers of the desktop, and ALSA's ways to them.
  ///
  /// - Parameter runtime: our own runtime directory; theirs lie beside it.
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

  /// ALSA looks in a directory below that of the libraries, whose place each distribution chooses.
  private static func hasPlugin(_ name: String) -> Bool {
    let libraries = ["/usr/lib", "/usr/lib64", "/usr/local/lib"]
    let triples = (try? Directory("/usr/lib").names()) ?? []
    let directories = libraries + triples.filter { $0.holds("-linux-") }.map { "/usr/lib/" + $0 }
    let usual = directories.map { $0 + "/alsa-lib" }
    let places = Environment.value(of: "ALSA_PLUGIN_DIR").map { [$0] } ?? usual
    return places.contains { place in
      (try? FileStatus(of: "\(place)/libasound_module_pcm_\(name).so")) != nil
    }
  }
}

extension [Machine.SoundServer] {
  /// Beside PipeWire the socket of PulseAudio is PipeWire's own, and one way is enough.
  fileprivate var withoutStandIn: Self {
    let reached = filter { $0.isRunning && $0.hasPlugin }
    return reached.isEmpty ? Array(filter(\.isRunning).prefix(1)) : Array(reached.prefix(1))
  }
}
