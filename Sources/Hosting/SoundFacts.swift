package import Audio
internal import Decoding
internal import Files
internal import JSON
internal import Linux
package import Sounds

/// The properties of a sound file that a program needs before it plays the file.
package struct SoundFacts: Hashable, Sendable {
  /// The rate in the file's header.
  package let rate: SampleRate
  /// The number of channels in the file's header.
  package let channels: ChannelCount
  /// The number of frames, or nil if the file does not state it.
  package let frames: FrameCount?

  /// Facts with these values.
  package init(rate: SampleRate, channels: ChannelCount, frames: FrameCount?) {
    (self.rate, self.channels, self.frames) = (rate, channels, frames)
  }

  /// Reads the header of a file. The installed command `recorder` reads an untrusted file in a
  /// confined child process. If the file is trusted or the command is not installed, this process
  /// reads the header.
  package init(of file: PlayFile) throws(SoundError) {
    self = try SoundError.of(file.name, Self.read(file))
  }

  private static func read(_ file: PlayFile) throws -> SoundFacts {
    let opened = try file.open()
    if let program = InstalledProgram.path, !file.isTrusted {
      return try ask(program, about: opened)
    }
    let info = try SurveyedFile(opened, named: file.name, among: .common).info()
    return SoundFacts(rate: info.rate, channels: info.channels, frames: info.frames)
  }

  /// The arguments of the program: the command that describes files, and its request for one file.
  private static let words = [
    "describe", #"{"files":1,"tried":false,"levels":false,"seconds":0}"#,
  ]

  private static func ask(
    _ program: String, about file: borrowing Descriptor
  ) throws -> SoundFacts {
    let text = try Spawn.isolated(program, words).output(atMost: longest, passing: [file.number])
    let json = try? JSONValue(decoding: text.span, limits: JSONLimits(bytes: longest))
    guard let object = json?.object else { throw SoundProblem.broken }
    if let problem = SoundProblem(object) { throw problem }
    guard let facts = object["members"].flatMap(SoundFacts.init) else { throw SoundProblem.broken }
    return facts
  }

  /// The maximum size of the program's answer in bytes. A file may have thousands of marks.
  private static let longest = 1 << 24

  private init?(_ members: JSONValue) {
    guard let rate = members["rate"]?.integer.flatMap({ SampleRate(Int($0)) }),
      let channels = members["channels"]?.integer.flatMap({ ChannelCount(Int($0)) })
    else { return nil }
    self.init(
      rate: rate, channels: channels, frames: members["frames"]?.integer.map { FrameCount($0) })
  }
}
