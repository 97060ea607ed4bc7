import Foundation
import Support
import Testing

@Suite("Takes by their references", .timeLimit(.minutes(5)))
struct TakeReferenceTests {
  /// Makes a home with two finished takes: talk.wav, then song.wav.
  private func studio() throws -> Studio {
    let studio = try Studio()
    let made = try studio.run(
      """
      for name in talk song; do
        start -q --name $name --duration 200ms $name.wav > started && "$recorder" wait $name > ended
      done
      """)
    try #require(made.code == 0, "\(made)")
    return studio
  }

  @Test(
    "are played and described, and a file of that name is written with a slash",
    arguments: [
      ("info @1", "song.wav"), ("info @last", "song.wav"), ("info @2", "talk.wav"),
      ("info @talk", "talk.wav"), ("info ./@1", "@1"),
      ("play @talk --device test:null", "talk.wav"), ("info @song.wav", "song.wav"),
      ("play ./@1 --device test:null --json", "@1"),
    ])
  func reach(command: String, file: String) throws {
    let studio = try studio()
    let outcome = try studio.run("cp talk.wav @1; \"$recorder\" \(command) --json")
    #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome)")
    #expect(outcome.output.contains("/\(file)\"") || outcome.output.contains("\"./\(file)\""))
    #expect(try studio.run("rm @1; \"$recorder\" takes").output.split(separator: "\n").count == 2)
  }

  @Test("to one file of a split take say so on stderr, unless all files are joined")
  func splitTake() throws {
    let outcome = try studio().run(
      """
      start -q a.wav > said && captured 0.1 && "$recorder" split -q > said && captured +0.1 &&
      "$recorder" stop -q > said
      for command in "info @2" "export @2 x.wav" "show @1" "play @1 --device test:null"; do
        "$recorder" $command > said
      done
      echo joined >&2; "$recorder" export @2 - --join @1 > both.wav; head -c 4 both.wav
      "$recorder" info -q @1 > said; "$recorder" info @talk a.wav > said
      """)
    #expect(outcome.code == 0 && outcome.output == "RIFF", "\(outcome)")
    let parts = outcome.errors.components(separatedBy: "joined\n")
    let told = parts[0].split(separator: "\n").filter { $0.contains("of a split take") }
    #expect(
      told == [
        "recorder: \"@2\" is file 1 of 2 of a split take",
        "recorder: \"@2\" is file 1 of 2 of a split take",
        "recorder: \"@1\" is file 2 of 2 of a split take",
        "recorder: \"@1\" is file 2 of 2 of a split take",
      ], "\(outcome)")
    #expect(parts.last == "", "\(outcome)")
  }

  @Test(
    "that match nothing are refused with the reason",
    arguments: [
      ("info @3", 10, "there are 2 takes with files, and the oldest is @2"),
      ("play @3", 10, "there are 2 takes with files, and the oldest is @2"),
      (
        "info @nobody", 10,
        "cannot find the take \"@nobody\": no recording and no file of a take has that name"
      ),
      ("rm talk.wav; \"$recorder\" play @talk", 10, "cannot find the file of \"@talk\": \""),
      ("rm talk.wav; \"$recorder\" info @2", 10, "there is one take with a file, @1"),
      ("rm *.wav; \"$recorder\" info @1", 10, "there are no takes with a file"),
      ("play talk --device test:null", 10, "did you mean the take \"@talk\"?"),
      ("cp talk.wav odd; \"$recorder\" play odd --device test:null", 10, "that name: ./odd"),
      ("info @tlak", 10, "did you mean the take \"@talk\"?"),
      ("trash tlak.wav", 10, "did you mean the take \"@talk\"?"),
      ("mkdir sub; cd sub; \"$recorder\" show tlak.wav", 10, "did you mean the take \"@talk\"?"),
      ("mkdir sub; cd sub; \"$recorder\" info tlak.wav", 10, "did you mean the take \"@talk\"?"),
      ("play tlak.wav --device test:null", 10, "did you mean the take \"@talk\"?"),
      ("play @0", 64, "for a file of that name, write \"./@0\""),
      ("info @0", 64, "write \"./@0\""),
    ])
  func refused(command: String, code: Int32, told: String) throws {
    let script = command.split(separator: ";").count > 1 ? command : "\"$recorder\" \(command)"
    let outcome = try studio().run(script)
    #expect(outcome.code == code && outcome.errors.contains(told), "\(outcome)")
  }

  @Test("count only takes with a file, and are the numbers of the list")
  func withoutFile() throws {
    let studio = try studio()
    let outcome = try studio.run(
      """
      start -q - --duration 100ms > stream 2> log; start -q --name vain vain.wav > log
      "$recorder" cancel vain > log; "$recorder" takes | cut -c 1-2
      "$recorder" takes --json | grep -o '"number":[0-9]*'; "$recorder" takes talk | cut -c 1-2
      "$recorder" trash @1 > log; "$recorder" takes | cut -c 1-2; "$recorder" rename @1 new; ls *.wav
      "$recorder" complete -- info @ | grep -c '^@[0-9]'
      "$recorder" undo > log; "$recorder" undo > log; "$recorder" takes | cut -c 1-2
      """)
    let both = "2 \n1 \n- \n- \n"
    #expect(
      outcome.output
        == both + "\"number\":2\n\"number\":1\n2 \n1 \n- \n- \n- \n"
        + "Renamed \(studio.scratch.path("talk.wav")) to new.wav\nnew.wav\n1\n" + both,
      "\(outcome)")
    #expect(outcome.code == 0, "\(outcome)")
  }

  @Test("count from the take that was saved last, as the help says")
  func savedLast() throws {
    let outcome = try Studio().run(
      """
      start -q --name first first.wav > log
      start -q --name second --duration 200ms second.wav > log; "$recorder" wait second > log
      "$recorder" stop first > log; "$recorder" info --json @1 | grep -o '/first.wav"'
      "$recorder" help references; "$recorder" takes --help
      """)
    #expect(outcome.output.hasPrefix("/first.wav\"\n"), "\(outcome)")
    let words = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("The newest take is the one that was saved last"), "\(outcome)")
    #expect(words.contains("in the order in which they were saved, the newest last"), "\(outcome)")
  }

  @Test("warn about a changed file, and refuse one that is being recorded")
  func states() throws {
    let studio = try studio()
    let changed = try studio.run("printf x >> song.wav; \"$recorder\" play @1 --device test:null")
    #expect(changed.code == 0 && changed.errors.contains("changed since"), "\(changed)")
    let live = try studio.run(
      """
      start -q --name talk again.wav > started; "$recorder" play @talk; code=$?
      "$recorder" stop talk > ended; exit $code
      """)
    #expect(live.code == 11 && live.errors.contains("still being recorded"), "\(live)")
    let listed = try studio.run("\"$recorder\" takes")
    #expect(listed.output.contains("changed since"), "\(listed)")
  }

  @Test("are found by title, note, mark and date, if they match all words")
  func search() throws {
    let studio = try studio()
    let made = try studio.run(
      """
      start -q --name meeting --title 'Budget Round' --note 'with Kim' m.wav > told
      "$recorder" mark 'the vote' meeting > told; "$recorder" mark -n meeting 'the vote' > told
      "$recorder" stop meeting > told
      for words in budget 'kim round' vote "$(date +%Y-%m-%d) budget" 'budget song' '--since 1h'; do
        "$recorder" takes $words --json | grep -o '"number"' | wc -l
      done
      "$recorder" takes --until 2000-01-01
      """)
    #expect(made.output == "1\n1\n1\n1\n0\n3\nNo take began in that time.\n", "\(made)")
  }

  @Test("with the name of several recordings are the newest, also in a trash, as its help says")
  func sameName() throws {
    let outcome = try Studio().run(
      """
      for file in a b; do start -q --foreground --duration 0.1 --name talk $file.wav > log; done
      "$recorder" trash @talk > log; ls *.wav; "$recorder" trash --help
      """)
    #expect(outcome.output.hasPrefix("a.wav\n"), "\(outcome)")
    let words = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("@talk means the newest take of the recording \"talk\"."), "\(outcome)")
  }

  @Test("with a name that may mean several are played with a note, and are not changed")
  func ambiguous() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      for take in 'anna interview' 'other a' 'third b'; do
        set -- $take; start -q --foreground --duration 0.1 --name $1 $2.wav > log
      done
      mkdir x; mv a.wav x/anna.wav; "$recorder" takes > log 2>&1
      "$recorder" info @anna 2>&1 > log | head -n 1; "$recorder" trash b.wav @anna; echo $?; ls *.wav
      "$recorder" trash b.wav none 2>&1 | grep nothing; mv x/anna.wav "$HOME/.hidden"
      "$recorder" trash @anna b.wav > log; "$recorder" undo | tail -n 1 | cut -c 1-9
      """)
    let interview = studio.scratch.path("interview.wav")
    let anna = studio.scratch.path("x/anna.wav")
    #expect(
      outcome.output == """
        recorder: "@anna" is "\(interview)"; another take with that name: "@2" is "\(anna)"
        64
        b.wav
        interview.wav
        recorder: nothing was moved to the trash
        They were

        """, "\(outcome)")
    #expect(
      outcome.errors == """
        recorder: "@anna" may mean 2 takes; type a number
        recorder: nothing was moved to the trash
        recorder: "@3" is "\(interview)"
        recorder: "@2" is "\(anna)"

        """, "\(outcome)")
  }

  @Test("that are still being recorded are named below the list")
  func running() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start -q --name anna a.wav > log; "$recorder" takes; "$recorder" takes anna
      "$recorder" takes --json | grep -o '"running":.{"id":"[^"]*","name":"anna"' | cut -c 1-12
      "$recorder" stop > log; "$recorder" takes | grep -c running
      """)
    let line = "\n1 recording is running: anna. Show with: recorder status\n"
    #expect(
      outcome.output == "There are no takes.\n" + line + "No take matches \"anna\".\n" + line
        + "\"running\":[{\n0\n", "\(outcome)")
  }

  @Test("Without arguments recorder shows the newest takes that have a file")
  func last() throws {
    let studio = try Studio()
    let shown = try studio.run(
      """
      for number in 1 2 3 4 5 6; do
        start -q --foreground --duration 0.1 $number.wav > log
      done
      "$recorder" trash @2 > log; rm 6.wav; script -qec '"$recorder"' /dev/null < /dev/null
      """)
    for part in ["2.wav", "3.wav", "4.wav", "2 takes without a file", "recorder play @1"] {
      #expect(shown.output.contains(part), "\(shown)")
    }
    for part in ["1.wav", "5.wav"] { #expect(!shown.output.contains(part), "\(shown)") }
  }

  @Test("Without arguments recorder shows the state on a terminal, and elsewhere its usage")
  func alone() throws {
    let studio = try studio()
    let shown = try studio.run("script -qec '\"$recorder\"' /dev/null < /dev/null")
    #expect(shown.code == 0, "\(shown)")
    for part in ["Nothing is being recorded.", "allowed", "song.wav", "recorder play @1"] {
      #expect(shown.output.contains(part), "\(shown)")
    }
    let live = try studio.run(
      "start -q --name live live.wav > told; script -qec '\"$recorder\"' /dev/null < /dev/null")
    #expect(live.output.contains("live: recording") && live.output.contains("recorder stop"))
    let usage = try studio.run("\"$recorder\"")
    #expect(usage.code == 64 && usage.errors.contains("no command given"), "\(usage)")
  }
}
