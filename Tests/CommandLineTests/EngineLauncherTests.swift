import Testing

@testable import CommandLine

@Suite("Finding the engine")
struct EngineLauncherTests {
  @Test("The engine is searched next to the command, below its prefix, then where it is installed")
  func places() {
    #expect(
      EngineLauncher.places(besides: "/opt/r/bin/recorder") == [
        "/opt/r/bin/recorder-engine", "/opt/r/bin/../libexec/recorder/recorder-engine",
        "/usr/local/libexec/recorder/recorder-engine", "/usr/libexec/recorder/recorder-engine",
      ])
  }

  @Test("Without /proc, only the installed paths are searched", arguments: [nil, "recorder"])
  func noProc(path: String?) {
    #expect(EngineLauncher.places(besides: path).allSatisfy { $0.hasPrefix("/usr/") })
  }
}
