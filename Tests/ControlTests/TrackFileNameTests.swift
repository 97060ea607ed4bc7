import Control
import Testing

@Suite("The name of a file of one track")
struct TrackFileNameTests {
  @Test(
    "has the track before the extension and before a number",
    arguments: [
      ("call.wav", "call-mic.wav", "call-far.wav"), ("call", "call-mic", "call-far"),
      ("a-2.flac", "a-2-mic.flac", "a-2-far.flac"), ("mic.wav", "mic-mic.wav", "mic-far.wav"),
    ])
  func added(name: String, mic: String, far: String) {
    #expect(TrackFileName.adding("mic", to: name) == mic)
    #expect(TrackFileName.replacing("mic", by: "far", in: mic) == far)
    #expect(TrackFileName.removing("mic", from: mic) == name)
  }

  @Test("is without the track the name that all files share")
  func removed() {
    #expect(TrackFileName.removing("mic", from: "call-mic-002.wav") == "call-002.wav")
    #expect(TrackFileName.removing("mic", from: "other.wav") == nil)
  }

  @Test(
    "keeps the number if another track replaces the first",
    arguments: [
      ("call-mic-002.wav", "call-far-002.wav"), ("call-mic-1000.wav", "call-far-1000.wav"),
      ("call-mic-02.wav", "call-mic-02-far.wav"), ("other.wav", "other-far.wav"),
    ])
  func replaced(name: String, other: String) {
    #expect(TrackFileName.replacing("mic", by: "far", in: name) == other)
  }
}
