internal import Linux
internal import Sounds

extension BundledSounds {
  /// The directory of the sounds that come with the program: installed beside it, or in its sources.
  static var directory: String? {
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
