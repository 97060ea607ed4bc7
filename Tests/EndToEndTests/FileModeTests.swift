import Foundation
import Support
import Testing

@Suite("The files of recorder are private", .timeLimit(.minutes(10)))
struct FileModeTests {
  /// A script that prints the kind, mode and path of each file with another mode than expected: 600
  /// for files and sockets, 700 for directories.
  private static let modes = """
    find d .local run -mindepth 1 -printf '%y %m %p\\n' | grep -v -e '^[fs] 600 ' -e '^d 700 '
    find d -printf '%y %m %p\\n' | grep -v -e '^f 600 ' -e '^d 700 '
    """

  /// The start of a command to which file modes apply. Root runs it without its capabilities.
  private static let bound =
    geteuid() == 0 ? "exec setpriv --inh-caps=-all --bounding-set=-all " : ""

  @Test(
    "Recordings, sidecars, journals and the state are private with every umask",
    arguments: ["000", "022", "077", "0277", "0777"])
  func masks(mask: String) throws {
    let studio = try Studio(granting: false)
    try studio.scratch.write(
      """
      umask \(mask); "$recorder" permission grant > /dev/null
      "$recorder" start --quiet -d test:ramp --sidecar always d/a.wav > /dev/null
      "$recorder" start --quiet -d test:ramp --name other d/b.flac > /dev/null
      "$recorder" mark --name other here > /dev/null; "$recorder" split default > /dev/null
      eval "$functions"; captured 0.3 other; \(Self.modes)
      find d -name '.*.part.jsonl' -printf 'journal\\n'
      "$recorder" stop --all > /dev/null; echo "$?"; \(Self.modes)
      find d -name '*.json' -printf 'sidecar\\n' | sort -u
      """, to: "script")
    let outcome = try studio.run("\(Self.bound)sh script")
    #expect(outcome.output == "journal\n0\nsidecar\n" && outcome.errors == "", "\(outcome)")
    #expect(try studio.decoded("d/b.flac").count > 9_600)
  }

  @Test(
    "The access control list that a directory hands on opens none of them to others",
    .requires(tool: "python3"))
  func lists() throws {
    let studio = try Studio()
    // The list has version 2, then tag, rights and number of each entry: the owner, user 12345, the
    // group, the mask and all others.
    try studio.scratch.write(
      """
      import errno, os, struct, sys
      entries = [(1, 7, -1), (2, 7, 12345), (4, 7, -1), (16, 7, -1), (32, 0, -1)]
      try:
          os.setxattr("d", "system.posix_acl_default", struct.pack("<I", 2) + b"".join(
              struct.pack("<HHi", *entry) for entry in entries))
      except OSError as error:
          sys.exit(error.errno != errno.ENOTSUP)
      print("handed on")
      """, to: "hand.py")
    let outcome = try studio.run(
      """
      mkdir d; umask 0; python3 hand.py || exit; : > d/other; stat -c %a d/other; rm d/other
      start --sidecar always d/a.wav > /dev/null; "$recorder" mark m > /dev/null
      find d -type f -printf '%m\n'; "$recorder" stop > /dev/null; find d -type f -printf '%m\n'
      """)
    // With such a list the group bits of the mode are the mask, which limits the rights of named
    // users.
    let begins = outcome.output.hasPrefix("handed on\n660\n") || outcome.output.hasPrefix("666\n")
    #expect(begins && outcome.output.hasSuffix("\n600\n600\n600\n600\n"), "\(outcome)")
  }
}
