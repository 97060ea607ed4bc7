import Audio
import Foundation
import Linux
import Support
import Testing

@testable import PipeWire

/// A PipeWire server for one test, with a shell that runs next to it. Both end with this object.
final class PrivateServer {
  private let shell: ChildProcess
  private let commands: Descriptor
  private let answers: Descriptor
  /// The path of the server's socket.
  private(set) var socket = ""

  init() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    let input = try Descriptor.pipe()
    let output = try Descriptor.pipe()
    commands = input.writing
    answers = output.reading
    var spawn = Spawn("\(root)/scripts/with-paced-card", ["bash"])
    spawn.descriptors = [input.reading.number, output.writing.number, 2]
    spawn.environment = Tool.merged(["root": root])
    shell = try spawn.start()
    socket = try run(shellFunctions + "\ncd \"$HOME\"; echo \"$XDG_RUNTIME_DIR/pipewire-0\"")
  }

  deinit {
    try? shell.send(.terminate)
    _ = try? shell.hasEnded(within: .seconds(10))
  }

  /// Runs a script in the shell, and returns its output.
  @discardableResult
  func run(_ script: String) throws -> String {
    try commands.writeAll(Array("\(script)\necho END\n".utf8).span)
    var output: [UInt8] = []
    let end = Array("END\n".utf8)
    while !output.suffix(end.count).elementsEqual(end) {
      try #require(try answers.wait(upTo: .seconds(60)), "the shell does not answer")
      var chunk = [UInt8](repeating: 0, count: 4_096)
      let count = try answers.read(into: &chunk)
      try #require(count > 0, "the shell has ended")
      output += chunk[..<count]
    }
    let text = String(decoding: output.dropLast(end.count), as: UTF8.self)
    return text.trimmingCharacters(in: .newlines)
  }

  /// Creates a speaker, or a virtual device of another class.
  func addNode(
    _ name: String, class mediaClass: String = "Audio/Sink", channels: String = "FL FR",
    properties: String = ""
  ) throws {
    try run(
      """
      pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name=\(name)
        media.class=\(mediaClass) object.linger=true audio.position=[\(channels)] \(properties)
      }' >/dev/null
      """)
  }

  /// Creates a microphone of a program that is frozen, so that no link to it becomes active.
  func addFrozenMicrophone(_ name: String) throws {
    try run(
      """
      setpriv --pdeathsig KILL pw-loopback \
        --capture-props='node.name=\(name)-input media.class=Audio/Sink' \
        --playback-props='node.name=\(name) media.class=Audio/Source' >/dev/null 2>&1 &
      await 'pw-link -o | grep -q \(name):capture_FR'; kill -STOP $!
      """)
  }

  /// Removes a node.
  func removeNode(_ name: String) throws {
    try run("pw-cli destroy \(name) >/dev/null")
  }

  /// Makes a speaker the default, or a microphone.
  func setDefault(_ name: String, asMicrophone isMicrophone: Bool = false) throws {
    let key = "default.configured.audio." + (isMicrophone ? "source" : "sink")
    try run("pw-metadata 0 \(key) '{ \"name\": \"\(name)\" }' Spa:String:JSON >/dev/null")
  }

  /// Changes the length of the cycles in the way in which the latencies of programs change it. The
  /// setting `clock.force-quantum` is not used: since 0.3.81, the server then suspends all nodes,
  /// and loses the sound of a cycle.
  func setCycles(_ length: Int) throws {
    try run(
      "for end in min max; do pw-metadata -n settings 0 clock.$end-quantum \(length); done >/dev/null"
    )
  }

  /// Plays a tone without an end, as a program of this name.
  func play(_ hertz: Int, as program: String) throws {
    try run(
      """
      sox -n -r 48000 -c 2 -b 16 \(hertz).wav synth 60 sine \(hertz) vol 0.25
      cp -L "$(command -v pw-cat)" './\(program)'
      setpriv --pdeathsig KILL './\(program)' --playback \(hertz).wav >/dev/null 2>&1 &
      """)
  }

  /// Starts a source with numbered frames, and connects it to ports with this beginning of their
  /// names.
  func playNumbers(to ports: String, counting: Bool = false) throws {
    try run(
      """
      cc -O1 -o numbers "$root/Tests/PipeWire/numbers.c" \
        $(pkg-config --cflags --libs libpipewire-0.3) -lm
      setpriv --pdeathsig KILL ./numbers \(counting ? "count" : "") >/dev/null 2>&1 &
      """)
    for side in ["FL", "FR"] {
      try run("await 'pw-link numbers:\(side) \(ports)_\(side) 2>/dev/null'")
    }
  }

  /// Connects both channels of a program to ports with this beginning of their names.
  func linkPlayer(_ program: String, to ports: String) throws {
    for side in ["FL", "FR"] {
      try run("await 'pw-link \(program):output_\(side) \(ports)_\(side) 2>/dev/null'")
    }
  }

  /// Opens a connection with its graph.
  func connect() throws -> (Connection, Registry) {
    let connection = try Connection.open(socket)
    return (connection, try Registry(connection, withDetails: true))
  }

  /// Opens a capture of each kind, with this number of channels.
  func capture(_ kinds: Source.Kind..., channels: Int = 2) throws -> Capture {
    let (connection, registry) = try connect()
    let sources = kinds.map { Source($0, channels: channels, named: []) }
    return try Capture(
      sources, registry, connection, period: .milliseconds(20), buffer: .seconds(2))
  }
}

extension Capture {
  /// Reads frames until `count` have arrived. Returns the samples of one channel, the number of lost
  /// frames, and the number of frames without the device of the first source.
  mutating func record(
    _ count: Int, channel: Int = 0
  ) throws -> (samples: [Float], lost: Int, missing: Int) {
    let all = try recordAll(count)
    let samples = stride(from: channel, to: all.samples.count, by: format.channels.value).map {
      all.samples[$0]
    }
    return (samples, all.lost, all.missing)
  }

  /// Reads frames until `count` have arrived. Returns how many of them differ between the first
  /// channels of two stereo sources.
  mutating func differences(in count: Int) throws -> Int {
    let samples = try recordAll(count).samples
    return stride(from: 0, to: samples.count, by: 4).filter { samples[$0] != samples[$0 + 2] }.count
  }

  /// Reads frames until `count` have arrived. Returns their samples, the number of lost frames, and
  /// the number of frames without the device of the first source.
  mutating func recordAll(
    _ count: Int
  ) throws -> (samples: [Float], lost: Int, missing: Int) {
    let channels = format.channels.value
    var bytes = [UInt8](repeating: 0, count: 4_096 * format.bytesPerFrame)
    var (samples, lost, missing): ([Float], Int, Int) = ([], 0, 0)
    while samples.count < count * channels {
      try #require(try wait(upTo: .seconds(5), wake: -1) == .ready, "no frames")
      var span = bytes.mutableSpan
      var room = span.mutableBytes
      let read = try read(into: &room)
      lost += Int(read.lost.value)
      missing += read.silent.missing.contains(0) ? read.count : 0
      bytes.withUnsafeBytes { bytes in
        samples += bytes.bindMemory(to: Float.self).prefix(read.count * channels)
      }
    }
    return (samples, lost, missing)
  }

  /// Reads until the last half second has a property.
  mutating func record(
    channel: Int = 0, until body: (ArraySlice<Float>) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var samples: [Float] = []
    for _ in 0..<40 {
      samples = try record(24_000, channel: channel).samples
      if body(samples.suffix(24_000)) { return }
    }
    Issue.record("the sound never came: \(samples.prefix(16))", sourceLocation: sourceLocation)
  }
}

extension Sequence<Float> {
  /// Returns the amplitude of a tone, measured with Goertzel's algorithm.
  func amplitude(of hertz: Int) -> Double {
    let step = 2 * cos(2 * .pi * Double(hertz) / 48_000)
    var (last, former, count) = (0.0, 0.0, 0)
    for sample in self {
      (last, former) = (Double(sample) + step * last - former, last)
      count += 1
    }
    let power = last * last + former * former - step * last * former
    return 2 * power.squareRoot() / Double(Swift.max(1, count))
  }
}
