import Foundation
import Support
import Testing

@Suite(
  "A session whose memory runs out", .requires(tool: "prlimit"), .requires(tool: "python3"),
  .timeLimit(.minutes(10)))
struct LittleMemoryTests {
  /// Clients that each make the session store 60 KB for them.
  private static let hungry = """
    import glob, os, socket, time
    path = glob.glob(os.environ["HOME"] + "/run/recorder/*/default*.sock")[0]
    clients = []
    try:
        for _ in range(60):
            client = socket.socket(socket.AF_UNIX); client.connect(path)
            client.sendall(b"x" * 60000); clients.append(client)
        # The session lives without memory for a while.
        time.sleep(0.5)
    except OSError:
        pass
    """

  @Test(
    "leaves a file that is an exact prefix, whether it lives or dies",
    arguments: ["--as=1", "--data=1", "--as=1 --data=1"])
  func limited(limits: String) throws {
    let studio = try Studio()
    try studio.scratch.write(Self.hungry, to: "hungry.py")
    let process = try studio.start("a.wav")
    let outcome = try studio.run(
      """
      captured 0.7; prlimit --pid \(process) \(limits); timeout 10 python3 hungry.py
      kill -0 \(process) 2> /dev/null && echo lives >&2 || echo died >&2
      timeout 10 "$recorder" stop > /dev/null 2>&1
      "$recorder" recover > /dev/null 2>&1; ls *.wav
      """)
    let names = outcome.output.split(separator: "\n").map(String.init)
    #expect(names == ["a.wav"] || names == ["a-recovered.wav"], "\(outcome)")
    let numbers = try studio.decoded(try #require(names.first))
    #expect(numbers.count > 24_000 && firstBreak(in: numbers) == nil)
    print("\(limits): it \(outcome.errors.suffix(6)), \(names), \(numbers.count) frames")
  }
}
