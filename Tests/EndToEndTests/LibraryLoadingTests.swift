import Foundation
import Support
import Testing

@Suite("A library of sound files is loaded by what needs it", .timeLimit(.minutes(5)))
struct LibraryLoadingTests {
  /// The dynamic linker finds a file of that name first, and nothing in it.
  private static let broken =
    "mkdir broken; : > broken/libsndfile.so.1; export LD_LIBRARY_PATH=$PWD/broken\n"

  @Test("The sounds that come with the program are played without it")
  func bundled() throws {
    let theatre = try Theatre()
    let played = try theatre.run(Self.broken + "play click bell")
    #expect(played.code == 0 && played.errors.isEmpty, "\(played)")
    let player = try #require(theatre.studio.processes().first)
    let libraries = try sh("grep -o '[^/]*\\.so.*' /proc/\(player)/maps").output
    #expect(libraries.contains("libasound.so") && !libraries.contains("libsndfile.so"))
  }

  @Test(
    "A take that needs neither an encoder nor another rate loads neither library",
    arguments: ["a.wav", "a.caf", "a.raw"])
  func plain(_ file: String) throws {
    let studio = try Studio()
    let started = try studio.run(Self.broken + "start \(file)")
    #expect(started.code == 0, "\(started)")
    let session = try #require(studio.processes().first)
    let maps = try sh("cat /proc/\(session)/maps").output
    #expect(maps.contains("libasound.so"))
    let unneeded = ["libsndfile.so", "libsoxr.so", "libgomp.so"]
    #expect(unneeded.filter { maps.contains($0) }.isEmpty)
    let stopped = try studio.run("\"$recorder\" stop --quiet && ls")
    #expect(stopped.output.hasSuffix("\n\(file)\nbroken\nrun\n"), "\(stopped)")
  }

  @Test("A take at another rate loads the one that converts it")
  func converted() throws {
    let studio = try Studio()
    let started = try studio.run(
      "mkdir broken; : > broken/libsoxr.so.0; export LD_LIBRARY_PATH=$PWD/broken\n"
        + "start --rate 22050 a.opus; echo $?; ls")
    #expect(started.output == "1\nbroken\nrun\n", "\(started)")
    #expect(started.errors.contains("broken/libsoxr.so.0: file too short"), "\(started)")
  }

  @Test("Where it cannot be loaded nothing is encoded, and no file is made")
  func recording() throws {
    let studio = try Studio()
    let started = try studio.run(Self.broken + "start a.flac; echo $?; ls")
    #expect(started.output == "1\nbroken\nrun\n", "\(started)")
    #expect(started.errors.contains("cannot write sound files: "), "\(started)")
    #expect(started.errors.contains("broken/libsndfile.so.1: file too short"), "\(started)")
  }

  @Test("A file that cannot be read for want of it is told so", .requiresNamespaces)
  func reading() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 10)
    // What reads a file has no environment that could name another directory.
    let read = try theatre.run(
      """
      mkdir broken; : > broken/libsndfile.so.1
      library=$(ldconfig -p 2>/dev/null || /sbin/ldconfig -p)
      library=$(echo "$library" | awk '/libsndfile.so.1 /{ print $NF; exit }')
      unshare -rm sh -c 'mount --bind broken/libsndfile.so.1 "$(realpath "$1")" &&
        exec "$recorder" info a.wav' sh "$library"
      """)
    #expect(read.code == 16 && read.output.isEmpty, "\(read)")
    #expect(read.errors.hasPrefix("recorder: cannot read \"a.wav\": "), "\(read)")
    #expect(read.errors.contains("file too short"), "\(read)")
  }
}
