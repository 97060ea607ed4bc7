import Audio
import Glibc
import PipeWire
import Testing

@testable import Devices

@Suite("An ALSA error")
struct StreamErrorTests {
  @Test(
    "maps to the condition of the stream",
    arguments: [
      (EPIPE, StreamCondition.xrun), (ESTRPIPE, .suspended), (ENODEV, .disconnected),
      (ENXIO, .disconnected), (EIO, .disconnected), (EBADFD, .disconnected), (EINVAL, .failed),
      (ENOSYS, .failed), (500_000, .failed),
    ])
  func condition(code: CInt, expected: StreamCondition) {
    #expect(StreamError("snd_pcm_readi", "hw:0", code: -code).condition == expected)
  }

  @Test("names the device and the system's message, and for developers the function")
  func words() {
    let error = StreamError("snd_pcm_open", "hw:9", code: -ENOENT)
    #expect(error.description == "\"hw:9\": No such file or directory")
    #expect(error.debugDescription == "snd_pcm_open \"hw:9\": No such file or directory")
    #expect(
      StreamError("snd_pcm_readi", "hw:9", code: -EPIPE).description
        == "the connection to \"hw:9\" was lost: Broken pipe")
  }

  @Test("names PipeWire's reason for a lost device, and a change of the rate with advice")
  func lost() {
    let ended = StreamError(losing: "output", .ended)
    #expect(
      ended.description == "the connection to \"output\" was lost: PipeWire ended the connection")
    let changed = StreamError(losing: "output", .rateChanged)
    #expect(changed.description.contains("changed its sample rate"))
    #expect(changed.description.hasSuffix("start a new recording"))
    #expect(ended.condition == .disconnected && changed.condition == .disconnected)
  }

  @Test("is thrown for a failure only")
  func choke() throws {
    #expect(try checked("snd_pcm_avail", on: "hw:0", 7) == 7)
    #expect(throws: StreamError("snd_pcm_start", "hw:0", code: -EBADFD)) {
      try checked("snd_pcm_start", on: "hw:0", -EBADFD)
    }
  }

  @Test(
    "while opening is classified by the step that helps",
    arguments: [
      (ENOENT, "no device \"x:\""), (ENODEV, "no device \"x:\""), (EINVAL, "no device \"x:\""),
      (EBUSY, "\"x:\" is in use"), (EACCES, "this user cannot open \"x:\""),
      (ENOMEM, "\"x:\" does not work"),
    ])
  func opening(code: CInt, beginning: String) {
    let cause = StreamError("snd_pcm_open", "x:", code: -code)
    let error = DeviceError(opening: cause, .capture)
    #expect(error.description.hasPrefix(beginning))
    #expect(code == EBUSY || error.description.hasSuffix(": \(cause.words)"))
  }
}
