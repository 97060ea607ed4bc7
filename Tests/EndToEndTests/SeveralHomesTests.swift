import Foundation
import Support
import Testing

/// Two state directories of one user, whose recordings have their sockets in one directory.
@Suite("Several homes with one runtime directory", .timeLimit(.minutes(5)))
struct SeveralHomesTests {
  private let studio: Studio

  init() throws {
    studio = try Studio()
    try studio.run("XDG_STATE_HOME=$HOME/second $recorder permission grant")
  }

  /// Runs a command with the second state directory.
  private func second(
    _ command: String, limit: Duration = .seconds(30)
  ) throws -> Outcome {
    try studio.run("export XDG_STATE_HOME=$HOME/second; \(command)", limit: limit)
  }

  @Test("Recordings with one name do not disturb each other, and each is reached from its home")
  func sameName() throws {
    #expect(try studio.run("start a.wav").code == 0)
    #expect(try second("start b.wav").code == 0)
    #expect(try studio.run("$recorder status").output.contains("/a.wav"))
    #expect(try second("$recorder status").output.contains("/b.wav"))
    #expect(try second("$recorder mark here").code == 0)
    let stopped = try studio.run("$recorder stop", limit: .seconds(4))
    #expect(stopped.code == 0 && stopped.output.contains("/a.wav"), "\(stopped)")
    #expect(try studio.run("$recorder status").output.hasPrefix("Nothing is being recorded.\n"))
    let other = try second("$recorder stop --json", limit: .seconds(4))
    #expect(other.code == 0 && other.output.contains("\"marks\":1"), "\(other)")
    #expect(try studio.sockets().isEmpty)
    for file in ["a.wav", "b.wav"] {
      let frames = Studio.ramp(try #require(try studio.soundBytes(file)))
      #expect(!frames.isEmpty && firstBreak(in: frames) == nil)
    }
  }

  @Test(
    "A recording of another home is not there",
    arguments: [
      "stop", "stop default", "cancel default", "pause default", "mark here", "wait default",
    ])
  func absent(command: String) throws {
    #expect(try studio.run("start a.wav").code == 0)
    let outcome = try second("$recorder \(command)")
    #expect(outcome.code == 10, "\(outcome)")
    #expect(try second("$recorder status").output == "Nothing is being recorded.\n")
    #expect(try studio.json("status")["recordings"].map { "\($0)" }?.contains("recording") == true)
  }

  @Test("A revoke in one home does not stop a recording of the other")
  func revoked() throws {
    #expect(try studio.run("start a.wav").code == 0)
    #expect(try second("start b.wav").code == 0)
    let revoked = try studio.run("$recorder permission revoke")
    #expect(revoked.code == 0 && revoked.output.contains("/a.wav"), "\(revoked)")
    #expect(try second("$recorder status").output.contains("/b.wav"))
    #expect(try second("$recorder stop").code == 0)
  }

  @Test("The socket of a killed recording is removed by the next recording of its name")
  func killed() throws {
    #expect(try studio.run("start a.wav").code == 0)
    let pid = try parsed(try second("start --json b.wav").output)["pid"] as? Int
    #expect(try studio.sockets().count == 2)
    #expect(try studio.run("kill -KILL \(try #require(pid)); $recorder stop").code == 0)
    #expect(try second("start c.wav && $recorder stop").code == 0)
    #expect(try studio.sockets().isEmpty)
  }

  @Test("A recording whose socket was replaced listens at another path, and is reached")
  func replaced() throws {
    #expect(try studio.run("start a.wav").code == 0)
    try studio.scratch.write(
      """
      import os, socket, subprocess, threading
      path = os.environ["HOME"] + "/" + os.environ["sockets"] + "/default.sock"
      os.remove(path)
      os.chdir(os.path.dirname(path))
      server = socket.socket(socket.AF_UNIX)
      server.bind("default.sock")
      server.listen()
      def serve():
        while True:
          peer, _ = server.accept()
          try:
            peer.sendall(b'{"recorder":"1.0.0-beta","protocol":1,"role":"session","pid":1}\\n')
          except BrokenPipeError:
            pass  # The session only looks whether somebody listens.
      threading.Thread(target=serve, daemon=True).start()
      ended = subprocess.run([os.environ["recorder"], "stop"])
      print(*os.listdir(os.path.dirname(path)))
      raise SystemExit(ended.returncode)
      """, to: "stranger.py")
    let outcome = try studio.run("python3 stranger.py")
    #expect(outcome.code == 0 && outcome.output.contains("/a.wav"), "\(outcome)")
    #expect(outcome.output.hasSuffix("default.sock\n"), "the other one's is left: \(outcome)")
  }
}
