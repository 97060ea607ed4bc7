import Foundation
import Linux
import Sounds
import Support
import Testing

@Suite("A user's own sounds")
struct UserSoundsTests {
  private func open(_ path: String) throws -> Descriptor { try Descriptor(opening: path) }

  private func delete(_ files: [String]) throws {
    for file in files { try FileManager.default.removeItem(atPath: file) }
  }

  @Test("A name is taken by any file that has it, with any extension, and nothing is replaced")
  func taken() throws {
    let scratch = try ScratchDirectory()
    let source = try scratch.write("new", to: "source")
    let own = UserSounds(scratch.path("own"))
    let name = try SoundName("bark")
    for ending in UserSounds.endings + ["disabled"] {
      try Directory.makeAll(own.path)
      let file = try scratch.write("old", to: "own/bark.\(ending)")
      #expect(throws: UserSounds.Failure.taken(path: file)) {
        _ = try own.add(try open(source), as: name, ending: "wav")
      }
      #expect(try scratch.read("own/bark.\(ending)") == Array("old".utf8))
      #expect(try own.remove(name, by: delete) == [file])
    }
    symlink("nowhere", scratch.path("own/bark.flac"))
    #expect(throws: UserSounds.Failure.self) {
      _ = try own.add(try open(source), as: name, ending: "wav")
    }
  }

  @Test("Of 16 simultaneous additions of one name, one succeeds")
  func race() async throws {
    let scratch = try ScratchDirectory()
    let own = UserSounds(scratch.path("own"))
    for number in 0..<16 { try scratch.write("\(number)", to: "source\(number)") }
    let (path, name) = (scratch.path, try SoundName("bark"))
    let winners = try await withThrowingTaskGroup(of: Int?.self) { group in
      for number in 0..<16 {
        group.addTask {
          let ending = UserSounds.endings[number % UserSounds.endings.count]
          let file = try Descriptor(opening: "\(path)/source\(number)")
          do {
            _ = try own.add(file, as: name, ending: ending)
            return number
          } catch UserSounds.Failure.taken {
            return nil
          }
        }
      }
      return try await group.compactMap { $0 }.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(winners.count == 1)
    let files = try FileManager.default.contentsOfDirectory(atPath: own.path)
    #expect(files.count == 1)
    #expect(
      FileManager.default.contents(atPath: "\(own.path)/\(files.first ?? "")")
        == Data("\(winners.first ?? -1)".utf8))
  }

  @Test("Every file of a name is removed; of a link, only the link itself")
  func removes() throws {
    let scratch = try ScratchDirectory()
    let own = UserSounds(scratch.path("own"))
    try Directory.makeAll(own.path)
    let outside = try scratch.write("kept", to: "outside")
    symlink(outside, scratch.path("own/bark.wav"))
    for file in ["own/bark.flac", "own/bark-loud.wav"] { try scratch.write("x", to: file) }
    let name = try SoundName("bark")
    let files = [scratch.path("own/bark.wav"), scratch.path("own/bark.flac")]
    #expect(try Set(own.remove(name, by: delete)) == Set(files))
    #expect(throws: UserSounds.Failure.unknown) { _ = try own.remove(name, by: delete) }
    #expect(try scratch.read("outside") == Array("kept".utf8))
    #expect(try scratch.read("own/bark-loud.wav") == Array("x".utf8))
    #expect(throws: UserSounds.Failure.unknown) {
      _ = try UserSounds(scratch.path("none")).remove(name, by: delete)
    }
  }

  @Test("A file that cannot be moved to the trash stays, and so do its links")
  func stays() throws {
    let scratch = try ScratchDirectory()
    let own = UserSounds(scratch.path("own"))
    try Directory.makeAll(own.path)
    let file = try scratch.write("x", to: "own/bark.flac")
    symlink(file, scratch.path("own/bark.wav"))
    var discarded: [String] = []
    #expect(throws: CocoaError.self) {
      _ = try own.remove(try SoundName("bark")) { files in
        discarded = files
        throw CocoaError(.fileWriteNoPermission)
      }
    }
    #expect(discarded == [file])
    #expect(try FileManager.default.contentsOfDirectory(atPath: own.path).count == 2)
  }
}
