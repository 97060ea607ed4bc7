import Audio
import Files
import Foundation
import Testing

@Suite("Files that are not sound files")
struct ReaderRefusalTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(
    "Unknown beginnings are refused before they are decoded",
    arguments: ["\u{1}text", "FORM....8SVX", "riff", "NIST_1A", "RIFF....CDXA"])
  func unknown(_ beginning: String) throws {
    let path = try scratch.write(
      Array(beginning.utf8) + Array(repeating: 0, count: 100), to: "a.wav")
    #expect(throws: SoundFileError.notSound(subject: path)) { _ = try SoundFileReader(path: path) }
  }

  @Test("An empty file is reported as empty")
  func empty() throws {
    let path = try scratch.write([], to: "a.wav")
    #expect(throws: SoundFileError.empty(subject: path)) { _ = try SoundFileReader(path: path) }
  }

  @Test(
    "A file of a known kind that is not decoded is refused by its name",
    arguments: [
      ("RIFF....AVI ", "an AVI file"), ("\u{7F}ELF", "a program"),
      ("MThd", "a MIDI file, which contains notes"), ("....ftypM4A ", "MP4 audio (AAC or ALAC)"),
      ("wvpk", "WavPack audio"), (" \n<!DOCTYPE html>", "an HTML page"), ("#!AMR\n", "AMR audio"),
    ])
  func named(_ beginning: String, _ kind: String) throws {
    let path = try scratch.write(
      Array(beginning.utf8) + Array(repeating: 0, count: 100), to: "a.wav")
    let error = #expect(throws: SoundFileError.self) { _ = try SoundFileReader(path: path) }
    guard case .notDecoded(path, kind, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(
    "A known beginning with rubbish behind it is an error, never noise",
    arguments: [
      "RIFF....WAVE", "RF64....WAVE", "fLaC", "OggS", "FORM....AIFF", ".snd", "caff", "ID3",
    ])
  func rubbish(_ beginning: String) throws {
    let rubbish = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 * 37) }
    let path = try scratch.write(Array(beginning.utf8) + rubbish, to: "a")
    #expect(throws: SoundFileError.self) {
      var reader = try SoundFileReader(path: path)
      var samples = [Float](repeating: 0, count: 1_024 * reader.channels.value)
      var span = samples.mutableSpan
      while try reader.read(into: &span) > 0 {}
    }
  }

  @Test("A directory, a device and a pipe are refused immediately")
  func special() throws {
    #expect(mkfifo(scratch["pipe"], 0o600) == 0)
    for path in [scratch.path, "/dev/zero", scratch["pipe"]] {
      #expect(throws: SoundFileError.notRegular(subject: path)) {
        _ = try SoundFileReader(path: path)
      }
    }
  }

  @Test(
    "sox's files of every other format are read",
    .enabled(if: Tool.isExpected("sox"), "sox is not installed"),
    arguments: ["aiff", "aifc", "au", "caf", "w64", "ogg", "mp3", "wav"])
  func others(_ suffix: String) throws {
    let path = scratch["a." + suffix]
    let arguments = ["-n", "-r", "48000", "-c", "2", path, "synth", "1", "sine", "1000"]
    let result = try Tool.run("sox", arguments)
    #expect(result.status == 0, "\(result.errors)")
    var reader = try SoundFileReader(path: path)
    var samples = [Float](repeating: 0, count: 96_000)
    var span = samples.mutableSpan
    #expect(try reader.read(into: &span) > 40_000)
    #expect((0.9...1.1).contains(samples.reduce(0) { max($0, abs($1)) }))
  }
}
