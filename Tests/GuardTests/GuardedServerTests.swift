import Linux
import PipeWire
import Support
import Testing

@testable import Guard

@Suite("The connection of the guard")
struct GuardedServerTests {
  @Test("A failed connection is repeated if the server may start without a new socket")
  func retry() throws {
    let directory = try ScratchDirectory()
    let directories = [directory.path]
    for failure in [ConnectionFailure.ended, .noAnswer(.seconds(5))] {
      #expect(GuardedServer.mayPass(failure, in: directories))
    }
    // Without a socket, the guard waits until one appears.
    #expect(!GuardedServer.mayPass(.noServer, in: directories))
    try directory.write("", to: "pipewire-0")
    #expect(GuardedServer.mayPass(.noServer, in: directories))
    #expect(!GuardedServer.mayPass(.noLibrary, in: directories))
  }
}
