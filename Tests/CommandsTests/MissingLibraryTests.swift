import Exports
import Testing

@testable import Commands

@Suite("A missing library")
struct MissingLibraryTests {
  @Test(
    "is answered with the package that contains it",
    arguments: [
      ("libasound.so.2", "libasound2"), ("libsndfile.so.1", "libsndfile1"),
      ("libsoxr.so.0", "libsoxr0"), ("libjansson.so.4", "libjansson4"),
      ("libebur128.so.1", "libebur128-1"), ("libz.so.1", "zlib1g"),
      ("libpipewire-0.3.so.0", "libpipewire-0.3-0"),
    ])
  func package(library: String, package: String) {
    let line =
      "recorder: error while loading shared libraries: \(library): cannot open shared "
      + "object file: No such file or directory"
    #expect(MissingLibrary(in: line)?.package == package)
    let late = "\(library): cannot open shared object file: No such file or directory"
    #expect(MissingLibrary(in: late)?.advice == "as root, type: apt-get install \(package)")
  }

  @Test("is answered with its package if only the name of its file is known")
  func file() {
    #expect(MissingLibrary(named: "libspa-aec-webrtc.so")?.package == "libspa-0.2-modules")
    #expect(MissingLibrary(named: "libnone.so") == nil)
  }

  @Test("of the echo canceller has no advice about the rate, even if its package is unknown")
  func echoCanceller() {
    let missing = Failure(exporting: "a.wav", .noEchoCanceller(missing: "libnone.so"))
    #expect(missing.message.advice.isEmpty)
    let failed = Failure(exporting: "a.wav", .noEchoCanceller(missing: nil))
    #expect(failed.message.advice == ["try --rate 48000"])
  }

  @Test("is not found in unrelated lines", arguments: [nil, "", "libasound.so.2 is loud"])
  func otherLines(line: String?) {
    #expect(MissingLibrary(in: line) == nil)
  }
}
