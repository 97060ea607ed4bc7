internal import CLinux
internal import Glibc

extension Directory {
  /// Opens a file that exists somewhere beneath it; neither `..` nor a symbolic link leads out.
  ///
  /// Links that stay beneath are followed, which themes of sounds and icons rely on. The corresponding
  /// call is `openat2`; a kernel without it, or a sandbox that forbids it, follows no link at all.
  package func open(
    beneath path: String, _ flags: OpenFlags = .readOnly
  ) throws(SystemError) -> Descriptor {
    try refuseNUL("openat2", path)
    let bits = flags.union(.always).rawValue
    do {
      let number = try checked("openat2", self.path(of: path)) {
        unsafe open_beneath(descriptor.number, path, bits)
      }
      return Descriptor(owning: number)
    } catch let error where error.errno == .notImplemented || error.errno == .notPermitted {
      return try openFollowingNothing(path, flags)
    }
  }

  func openFollowingNothing(
    _ path: String, _ flags: OpenFlags
  ) throws(SystemError) -> Descriptor {
    let names = path.pathNames
    guard !path.begins(with: "/"), !names.contains(".."), let last = names.last else {
      throw SystemError("openat", self.path(of: path), errno: .crossDevice)
    }
    var place = try descriptor.duplicate()
    for name in names.dropLast() {
      place = try Descriptor(
        at: place.number, name, [.directory, .noFollow], mode: 0, subject: self.path(of: path))
    }
    return try Descriptor(
      at: place.number, last, flags.union(.noFollow), mode: 0, subject: self.path(of: path))
  }
}
