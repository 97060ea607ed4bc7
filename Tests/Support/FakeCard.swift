import Foundation

/// Sound cards made of ALSA's own `file` plugin over `null`: bit-exact, unpaced, needing no hardware;
/// and `fake_narrow`, which does S32 mono at 44,100 Hz alone.
package enum FakeCard {
  /// Its configuration comes beside whatever is configured already, and stays for the process.
  private static let configuration: String = {
    let path = NSTemporaryDirectory() + "/recorder-asound-\(getpid()).conf"
    let environment = ProcessInfo.processInfo.environment
    let existing = environment["ALSA_CONFIG_PATH"] ?? "/usr/share/alsa/alsa.conf"
    let text = """
      <\(existing)>
      pcm.fake_microphone {
        @args [ FILE ]
        @args.FILE { type string }
        type file  slave.pcm { type null }  file "/dev/null"  infile $FILE  format raw
      }
      pcm.fake_speaker {
        @args [ FILE ]
        @args.FILE { type string }
        type file  slave.pcm { type null }  file $FILE  format raw
      }
      pcm.fake_narrow {
        type plug
        slave { pcm { type null }  format S32_LE  rate 44100  channels 1 }
      }
      """
    try? Data(text.utf8).write(to: URL(fileURLWithPath: path))
    setenv("ALSA_CONFIG_PATH", path, 1)
    atexit { unlink(FakeCard.configuration) }
    return path
  }()

  /// The name of a PCM that captures what `file` holds.
  package static func microphone(_ file: String) -> String {
    _ = configuration
    return "fake_microphone:FILE=\(file)"
  }

  /// The name of a PCM that writes what it plays into `file`.
  package static func speaker(_ file: String) -> String {
    _ = configuration
    return "fake_speaker:FILE=\(file)"
  }

  /// The names alone, with nothing to name them for.
  package static func install() { _ = configuration }
}
