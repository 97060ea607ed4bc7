internal import Linux

/// The device files of the kernel's sound cards.
enum SoundDeviceFiles {
  /// The paths of all sound devices.
  static var all: [String] {
    guard let directory = try? Directory("/dev/snd"), let names = try? directory.names() else {
      return []
    }
    return names.filter { $0.begins(with: "pcm") || $0.begins(with: "control") }.sorted()
      .map { "/dev/snd/" + $0 }
  }

  /// The paths of the capture devices that this user may open now.
  static var openForCapture: [String] {
    all.filter { $0.holds("/pcm") && $0.ends(with: "c") && FileSystem.mayReadAndWrite($0) }
  }
}
