import Bench
import Foundation
import RecorderFoundation
import RecorderKit
import Testing

/// The variants of calls that take and return Foundation's types.
@Suite("URL and Data")
struct FoundationTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("A recording accepts a URL and reports its file as a URL")
  func recording() async throws {
    var recorder = Recorder(from: "test:tone")
    recorder.maximumDuration = .milliseconds(100)
    let url = scratch.file("a b.wav")
    let result = try await recorder.record(to: url)
    #expect(result.url == url)
    #expect(try AudioFileReader(url).length == 4_800)

    recorder.maximumDuration = nil
    let take = try await recorder.start(to: url, replacingExisting: true)
    #expect(take.url == url)
    let running = await Running.takes.first { $0.process == getpid() && $0.path == url.path }
    #expect(running?.url == url)
    #expect(try await take.stop().url == url)
    await #expect(throws: RecorderError.self) { try await recorder.start(to: url) }
  }

  @Test("A sound can be created from a URL or from data")
  func sound() async throws {
    let url = try Fixture.write(to: scratch, "a b.wav", frames: 4_800)
    let (file, data) = (try Sound.file(url), try Sound.data(Data(contentsOf: url), named: "it"))
    #expect(file.frameCount == 4_800)
    #expect(data.frameCount == 4_800)
    #expect(data.name == "it")
    for sound in [file, data] { try await Player(on: "test:null").play(sound) }
  }

  @Test("A slice of data can be used like whole data")
  func slice() throws {
    let url = try Fixture.write(to: scratch, frames: 4_800)
    let bytes = Data([1, 2, 3]) + (try Data(contentsOf: url))
    #expect(try Sound.data(bytes.dropFirst(3)).frameCount == 4_800)
  }

  @Test("A library can be created from a URL")
  func library() throws {
    let resources = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }.appending(path: "Resources")
    let library = try SoundLibrary(bundled: resources)
    #expect(library.entries(matching: "done").contains { $0.name == "done" })
  }

  @Test("A URL that is not a file URL is refused, and the error names it")
  func elsewhere() async throws {
    let url = try #require(URL(string: "https://example.org/a.wav"))
    let calls: [() async throws -> Void] = [
      { _ = try Sound.file(url) },
      { _ = try await Recorder(from: "test:tone").start(to: url) },
      { _ = try await Recorder(from: "test:tone").record(to: url) },
      { _ = try AudioFileReader(url) },
      { _ = try SoundLibrary(bundled: url) },
    ]
    for call in calls {
      let error = await #expect(throws: RecorderError.self) { try await call() }
      #expect(try #require(error).localizedDescription.contains("example.org"))
    }
  }
}
