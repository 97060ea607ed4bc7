import Foundation
import Support
import Testing

@Suite("Libraries for sound files are loaded only if they are needed", .timeLimit(.minutes(5)))
struct LibraryLoadingTests {
  /// Makes the dynamic linker find an empty file instead of libsndfile.
  private static let broken =
    "mkdir broken; : > broken/libsndfile.so.1; export LD_LIBRARY_PATH=$PWD/broken\n"

  @Test("The bundled sounds play on a built-in device without libsndfile and libasound")
  func bundled() throws {
    let theatre = try Theatre()
    let played = try theatre.run(Self.broken + "play click bell")
    #expect(played.code == 0 && played.errors.isEmpty, "\(played)")
    let player = try #require(theatre.studio.processes().first)
    let libraries = try sh("grep -o '[^/]*\\.so.*' /proc/\(player)/maps").output
    #expect(
      libraries.contains("libjansson.so") && !libraries.contains("libsndfile.so")
        && !libraries.contains("libasound.so"))
  }

  @Test(
    "A take that needs neither an encoder nor another rate loads no library for sound",
    arguments: ["a.wav", "a.caf", "a.raw"])
  func plain(_ file: String) throws {
    let studio = try Studio()
    let started = try studio.run(Self.broken + "start \(file)")
    #expect(started.code == 0, "\(started)")
    let session = try #require(studio.processes().first)
    let maps = try sh("cat /proc/\(session)/maps").output
    #expect(maps.contains("libjansson.so"))
    let unneeded = ["libasound.so", "libsndfile.so", "libsoxr.so", "libgomp.so"]
    #expect(unneeded.filter { maps.contains($0) }.isEmpty)
    let stopped = try studio.run("\"$recorder\" stop --quiet && ls")
    #expect(stopped.output.hasSuffix("\n\(file)\nbroken\nrun\n"), "\(stopped)")
  }

  @Test("A take at another rate loads soxr")
  func converted() throws {
    let studio = try Studio()
    let started = try studio.run(
      "mkdir broken; : > broken/libsoxr.so.0; export LD_LIBRARY_PATH=$PWD/broken\n"
        + "start --rate 22050 a.opus; echo $?; ls")
    #expect(started.output == "1\nbroken\nrun\n", "\(started)")
    #expect(started.errors.contains("broken/libsoxr.so.0: file too short"), "\(started)")
  }

  @Test("Without libsndfile a take that needs an encoder fails and makes no file")
  func recording() throws {
    let studio = try Studio()
    let started = try studio.run(Self.broken + "start a.flac; echo $?; ls")
    #expect(started.output == "1\nbroken\nrun\n", "\(started)")
    #expect(started.errors.contains("cannot write sound files: "), "\(started)")
    #expect(started.errors.contains("broken/libsndfile.so.1: file too short"), "\(started)")
  }

  @Test("A library of PipeWire that is too old is reported with the version that is needed")
  func oldPipeWire() throws {
    let studio = try Studio()
    let started = try studio.run(
      """
      mkdir old; cc -shared -o old/libpipewire-0.3.so.0 -x c /dev/null
      export LD_LIBRARY_PATH=$PWD/old; "$recorder" permission grant system-audio >/dev/null
      "$recorder" start --device output a.wav; echo "code $?"
      """)
    #expect(started.output.hasSuffix("code 12\n"), "\(started)")
    #expect(started.errors.contains("version 0.3.65 or later is needed"), "\(started)")
  }

  @Test("info reports that a file cannot be read without libsndfile", .requiresNamespaces)
  func reading() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 10)
    // The process that reads a file gets no variable that could name another directory.
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
