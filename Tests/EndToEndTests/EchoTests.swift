import Foundation
import Support
import Testing

@Suite(
  "Exporting a microphone without an echo", .requires(tool: "espeak-ng"),
  .requires(tool: "pipewire"),
  .timeLimit(.minutes(10)))
struct EchoTests {
  private let studio: Studio

  init() throws { studio = try Studio() }

  /// The time of each sentence in the call, in seconds.
  private struct Times {
    var far: Range<Double>
    var near: Range<Double>
    /// The time with both sentences, or an empty range.
    var both: Range<Double>
    /// The length of the call.
    var length: Double
  }

  /// Continues a call with both sentences together. The microphone begins 0.4 s after the other side.
  private static let interruption = """
    e=$(awk "BEGIN { e = $n + 0.4; if ($f > e) e = $f; print e + 1 }")
    sox -D f48.wav far2.wav pad 0 $(awk "BEGIN { print $e - $f }")
    sox -D n48.wav near2.wav pad 0.4 $(awk "BEGIN { print $e - $n - 0.4 }")
    for side in far near; do mv $side.wav first.wav; sox -D first.wav ${side}2.wav $side.wav; done
    """

  /// Makes `call.wav`: the other side says a sentence, and then the microphone does. The microphone
  /// also records the other side, from a loudspeaker in a room.
  ///
  /// - Parameters:
  ///   - delay: the delay of the echo in seconds.
  ///   - gain: the level of the echo relative to its sound in decibels, or nil for headphones.
  ///   - isInterrupted: whether both sides then speak at the same time.
  private func makeCall(
    delay: Double = 0.06, gain: Int? = -6, isInterrupted: Bool = false
  ) throws -> Times {
    let echo = gain.map { "gain -12 reverb 40 50 50 0 0 0 gain \($0 + 12) pad \(delay)" }
    let made = try studio.run(
      """
      set -e
      espeak-ng -v en-us+m3 -w f.wav 'The train to Hamburg leaves at seven from platform nine.'
      espeak-ng -v en-gb+f2 -w n.wav 'My colleague will call you back tomorrow morning.'
      sox -D f.wav -r 48000 f48.wav gain -n -9; sox -D n.wav -r 48000 n48.wav gain -n -9
      f=$(soxi -D f48.wav) n=$(soxi -D n48.wav)
      sox -D f48.wav far.wav pad 0.5 $(awk "BEGIN { print $n + 2 }")
      sox -D n48.wav near.wav pad $(awk "BEGIN { print $f + 1.5 }") 1
      \(isInterrupted ? Self.interruption : "")
      sox -D far.wav echo.wav \(echo ?? "gain -200")
      sox -D -R -n -r 48000 -c 1 noise.wav synth $(soxi -D near.wav) whitenoise gain -66
      sox -D -m -v 1 near.wav -v 1 echo.wav -v 1 noise.wav mic.wav trim 0 $(soxi -D near.wav)
      sox -D -M mic.wav far.wav call.wav trim 0 $(soxi -D near.wav)
      tracks='[{"name":"mic","device":"default","firstChannel":1,"channels":1},
        {"name":"far","device":"output","firstChannel":2,"channels":1}]'
      printf '{"device":"default","frames":{"onDisk":%s},"tracks":%s}' \\
        $(soxi -s call.wav) "$tracks" > call.wav.json
      echo $f $n $(soxi -D call.wav)
      """)
    #expect(made.code == 0, "\(made)")
    let lengths = made.output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    try #require(lengths.count == 3)
    let start = lengths[0] + 1.5
    let again = start + lengths[1] + 1
    let both = (again + 0.4)..<(again + min(lengths[0], lengths[1] + 0.4))
    return Times(
      far: 0.5..<(0.5 + lengths[0]), near: start..<(start + lengths[1]),
      both: isInterrupted ? both : 0..<0, length: lengths[2])
  }

  /// Returns the level of a part of a file in decibels.
  private func level(_ name: String, _ part: Range<Double>) throws -> Double {
    let bytes = try #require(try studio.soundBytes(name))
    let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    let frames = Int(part.lowerBound * 48_000)..<Int(part.upperBound * 48_000)
    return SimulatedCall.level(samples[frames].map { Float($0) / 32_768 })
  }

  @Test(
    "lowers the other side by 20 dB and changes the speech by less than 1 dB",
    arguments: [(0.005, "wav"), (0.06, "flac"), (0.2, "wav")])
  func removed(delay: Double, ending: String) throws {
    let times = try makeCall(delay: delay)
    let json = try studio.json("export call.wav clean.\(ending) --track mic --remove far")
    let echo = try #require(json["echo"] as? [String: Any], "\(json)")
    #expect(echo["track"] as? String == "far" && echo["state"] as? String == "removed")
    #expect(abs((echo["delay"] as? Double ?? 0) - delay) < 0.003, "\(echo)")
    #expect((echo["overlap"] as? Double ?? 1) < 0.15, "\(echo)")
    let far = (times.far.lowerBound + delay)..<(times.far.upperBound + delay)
    let reduction = try level("mic.wav", far) - level("clean.\(ending)", far)
    #expect(reduction > 20 && (echo["reduction"] as? Double ?? 0) > 20, "\(reduction), \(echo)")
    let change = try level("clean.\(ending)", times.near) - level("near.wav", times.near)
    #expect(abs(change) < 1, "\(change)")
    let lengths = try studio.run("soxi -s mic.wav clean.\(ending)").output.split(separator: "\n")
    #expect(lengths.count == 2 && lengths[0] == lengths[1])
  }

  @Test(
    "reports how long both sides speak at the same time, and keeps the speech in it",
    arguments: [0.005, 0.06, 0.2])
  func interrupted(delay: Double) throws {
    let times = try makeCall(delay: delay, isInterrupted: true)
    let json = try studio.json("export call.wav clean.wav --track mic --remove far")
    let echo = try #require(json["echo"] as? [String: Any], "\(json)")
    #expect(echo["state"] as? String == "removed", "\(echo)")
    // In a model of the measurement, 96 % of that time counts, and 2 % of the time with one side.
    let share = (times.both.upperBound - times.both.lowerBound) / times.length
    let overlap = try #require(echo["overlap"] as? Double)
    #expect(share > 0.15 && overlap > 0.75 * share && overlap < share + 0.1, "\(share), \(echo)")
    #expect((echo["reduction"] as? Double ?? 0) > 20, "\(echo)")
    // The canceller also lowers speech during the echo, by 8 to 11 dB.
    let both = try level("clean.wav", times.both) - level("near.wav", times.both)
    #expect(both > -16, "\(both)")
    let alone = try level("clean.wav", times.near) - level("near.wav", times.near)
    #expect(abs(alone) < 1, "\(alone)")
  }

  @Test("prints the reduction, and a note if the echo is louder than the speech")
  func louder() throws {
    _ = try makeCall(gain: 12)
    let outcome = try studio.run("$recorder export call.wav clean.wav --track mic --remove far")
    #expect(outcome.code == 0)
    #expect(outcome.output.contains("\nEcho of far  "), "\(outcome)")
    #expect(
      outcome.output.contains(" dB quieter, delay 60 ms, both sides speak for "), "\(outcome)")
    #expect(outcome.errors.contains("dB louder than the speech"), "\(outcome)")
  }

  @Test("changes no sample if there is no echo or the other side is silent")
  func unchanged() throws {
    _ = try makeCall(gain: nil)
    let outcome = try studio.run(
      """
      $recorder export -q call.wav plain.wav --track mic
      $recorder export call.wav clean.wav --track mic --remove far && cmp plain.wav clean.wav
      sox -D call.wav quiet.wav remix 1 0 && cp call.wav.json quiet.wav.json
      $recorder export quiet.wav silent.wav --track mic --remove far && cmp plain.wav silent.wav
      """)
    #expect(outcome.code == 0 && !outcome.output.contains("Echo"), "\(outcome)")
    #expect(outcome.errors.contains("no echo of \"far\" was found, so nothing was removed"))
    #expect(outcome.errors.contains("the track \"far\" is silent, so nothing was removed"))
  }

  @Test("works on a take with a file for each track, on a part of it, and with --normalize")
  func separate() throws {
    let times = try makeCall()
    let outcome = try studio.run(
      """
      mkdir apart; cp mic.wav apart/a-mic.wav; sox -D call.wav apart/a-far.wav remix 2
      printf '{"device":"default","frames":{"onDisk":%s},"tracks":%s}' $(soxi -s call.wav) \\
        '[{"name":"mic","device":"default","firstChannel":1,"channels":1,"file":"a-mic.wav"},
          {"name":"far","device":"output","firstChannel":2,"channels":1,"file":"a-far.wav"}]' \\
        > apart/a-mic.wav.json
      $recorder export apart/a-mic.wav clean.wav --track mic --remove far --normalize \\
        --from \(times.far.lowerBound) --json
      """)
    let json = try parsed(outcome.output)
    let echo = json["echo"] as? [String: Any]
    #expect(echo?["reduction"] as? Double ?? 0 > 20, "\(outcome)")
    let file = (json["files"] as? [[String: Any]])?.first
    #expect(abs((file?["loudness"] as? Double ?? 0) + 16) < 0.1, "\(outcome)")
  }

  @Test("is refused with a reason, and no file is left")
  func refused() throws {
    _ = try makeCall()
    let refusals: [(options: String, code: Int32, message: String)] = [
      ("--remove far", 64, "--remove needs --track"),
      ("--mix --remove far", 64, "--remove needs --track"),
      ("--track mic --remove mic", 64, "--track and --remove both name \"mic\""),
      ("--track mic --remove far --join call.wav", 64, "--remove works on one take"),
      ("--track mic --remove x", 10, "\"call.wav\" has no track \"x\""),
      ("--track x --remove far", 10, "it has \"mic\" and \"far\""),
      ("--track mic --remove far --rate 2000", 1, "does not work at this rate"),
    ]
    for (options, code, message) in refusals {
      let outcome = try studio.run(
        "$recorder export call.wav clean.wav \(options); code=$?; ls clean*; exit $code")
      #expect(outcome.code == code && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.contains(message), "\(outcome)")
    }
  }

  @Test("needs a take with tracks, and PipeWire's echo canceller")
  func missing() throws {
    _ = try makeCall()
    let outcome = try studio.run(
      """
      $recorder export mic.wav clean.wav --track mic --remove far; echo $?
      SPA_PLUGIN_DIR=$PWD $recorder export call.wav clean.wav --track mic --remove far; echo $?
      mkdir broken; : > broken/libpipewire-0.3.so.0
      LD_LIBRARY_PATH=$PWD/broken $recorder export call.wav clean.wav --track mic --remove far; echo $?
      ls clean*
      """)
    #expect(outcome.output == "10\n1\n1\n", "\(outcome)")
    #expect(outcome.errors.contains("\"mic.wav\" has no track \"mic\""))
    #expect(outcome.errors.contains("apt-get install libspa-0.2-modules"))
    #expect(outcome.errors.contains("apt-get install libpipewire-0.3-0"))
  }
}
