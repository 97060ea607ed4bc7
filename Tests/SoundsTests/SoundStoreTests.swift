import Support
import Testing

@testable import Sounds

@Suite("Stored volumes and mutes")
struct SoundStoreTests {
  @Test("Two names that differ only in bytes have separate volumes")
  func names() throws {
    let scratch = try ScratchDirectory()
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    var store = SoundStore(in: scratch.path)
    try store.setVolume(of: composed, to: 0.2)
    try store.setVolume(of: decomposed, to: 0.8)
    let stored = SoundStore(in: scratch.path)
    #expect(stored.volume(of: composed) == 0.2 && stored.volume(of: decomposed) == 0.8)
  }
}
