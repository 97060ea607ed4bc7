import Audio
import Control
import Linux
import Store
import Support
import Testing

@Suite("The take of a sidecar")
struct SidecarOwnerTests {
  @Test("is another one only if the file next to it is certainly the file of a listed take")
  func other() throws {
    let scratch = try ScratchDirectory()
    let store = MachineStore(
      SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
    let path = scratch.path("a.wav")
    #expect(!store.catalogue.hasOtherTake(at: path, than: "id"))
    var facts = TakeFacts(
      identifier: "id", name: "talk", device: "test:ramp",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    facts.path = try scratch.write("0123456789", to: "a.wav")
    facts.bytes = 10
    try store.catalogue.add(
      RecordingResult(facts, reason: .stopped, exit: 0, began: .seconds(1_000)))
    #expect(!store.catalogue.hasOtherTake(at: path, than: "id"))
    #expect(store.catalogue.hasOtherTake(at: path, than: "former"))
    // The file may have been replaced by the file that the sidecar describes.
    try scratch.write("another", to: "b.wav")
    try Directory(scratch.path).rename("b.wav", to: "a.wav")
    #expect(!store.catalogue.hasOtherTake(at: path, than: "former"))
  }
}
