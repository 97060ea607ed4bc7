import Foundation

/// Sound cards made of ALSA's `file` plugin over `null`: bit-exact, unpaced and without hardware.
/// `fake_narrow` supports only S32 mono at 44,100 Hz.
package enum FakeCard {
  /// The configuration of the cards. It extends the existing configuration, and remains for the
  /// whole process.
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

  /// Returns the name of a PCM that captures the content of `file`.
  package static func microphone(_ file: String) -> String {
    _ = configuration
    return "fake_microphone:FILE=\(file)"
  }

  /// Returns the name of a PCM that writes its samples into `file`.
  package static func speaker(_ file: String) -> String {
    _ = configuration
    return "fake_speaker:FILE=\(file)"
  }

  /// Installs the configuration without returning a name.
  package static func install() { _ = configuration }
}
