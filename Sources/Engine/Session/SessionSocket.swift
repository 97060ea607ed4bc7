internal import CommandLine
internal import Control
internal import Linux

/// Where other programs reach a session; only who holds the lock of its name uses this.
struct SessionSocket {
  let places: SessionPlaces
  let name: SessionName

  /// Listens, in the place of what a dead session left.
  func open() throws(Failure) -> ControlServer {
    do throws(DirectoryRefusal) {
      _ = try PrivateDirectory.make(at: places.runtime)
    } catch {
      throw Failure(unusable: error)
    }
    remove()
    let hello = Hello(
      role: .session, program: Version.current, process: Environment.processIdentifier)
    do throws(SystemError) {
      return try ControlServer(at: places.socket(of: name), hello: hello)
    } catch {
      throw Failure(.failed, Message("cannot be controlled by other programs: \(error)"))
    }
  }

  /// Whether it is still where others look; a logout removes it under a live session.
  var isThere: Bool { (try? FileStatus(of: places.socket(of: name), following: false)) != nil }

  func remove() {
    guard let directory = try? PrivateDirectory.open(places.runtime) else { return }
    try? directory.remove(name.text + ".sock")
  }
}

extension Failure {
  /// A directory of the program's own that it does not trust.
  init(unusable refusal: DirectoryRefusal) {
    self.init(.failed, Message("a directory of recorder cannot be used: \(refusal)"))
  }
}
