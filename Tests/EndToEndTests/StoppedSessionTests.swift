import Foundation
import Support
import Testing

/// Ways to take the permission from a running session.
enum TakenPermission: String, CaseIterable {
  case revoke, expiry, newPolicy, rewrittenPolicy, mountedPolicies

  static let asRoot: [TakenPermission] = [.newPolicy, .rewrittenPolicy, .mountedPolicies]

  /// The line of shell that makes the change.
  var command: String {
    switch self {
    case .revoke:
      #"""
      "$recorder" permission revoke >said &
      await 'grep -q denied .local/state/recorder/permissions.json'
      """#
    case .expiry: ":"
    case .newPolicy: "cp rule $policies/.b && mv $policies/.b $policies/b.json"
    case .rewrittenPolicy: "cat rule >$policies/a.json"
    case .mountedPolicies: "mount --bind restricted $policies"
    }
  }

  /// The file or directory whose status has the time of the change, or nil if there is none.
  var changed: String? {
    switch self {
    case .revoke: ".local/state/recorder/permissions.json"
    case .expiry, .mountedPolicies: nil
    case .newPolicy: "$policies"
    case .rewrittenPolicy: "$policies/a.json"
    }
  }
}

@Suite("A change of the permission while the session is stopped", .timeLimit(.minutes(10)))
struct StoppedSessionTests {
  @Test("counts from its time", arguments: [TakenPermission.revoke, .expiry])
  func ofTheUser(_ change: TakenPermission) throws {
    try repeatRandomly(change, rounds: isThorough ? 10 : change == .expiry ? 1 : 4)
  }

  @Test(
    "by an administrator counts from its time", .requires("RECORDER_ROOT_TESTS"), .requiresRoot,
    arguments: TakenPermission.asRoot)
  func ofAnAdministratorAsRoot(_ change: TakenPermission) throws {
    try repeatRandomly(change, rounds: isThorough ? 10 : 4)
  }

  private func repeatRandomly(_ change: TakenPermission, rounds: Int) throws {
    var random = SeededGenerator(seed: 11)
    for round in 0..<rounds {
      // The moments are the subject. A stop of more than a second has another rule.
      let delay = try delay(
        after: change, runningFor: .random(in: 0..<0.7, using: &random),
        stoppedFor: .random(in: 0..<0.4, using: &random),
        andThen: .random(in: 0.3..<0.9, using: &random))
      // A session that ignores the time of the change keeps 0.5 s or more.
      #expect(delay < 0.4, "\(change), round \(round): \(delay) s")
    }
  }

  /// Returns the seconds from the change to the last frame that was kept.
  private func delay(
    after change: TakenPermission, runningFor moment: Double, stoppedFor before: Double,
    andThen after: Double
  ) throws -> Double {
    let studio = try Studio(granting: false)
    let isAsRoot = TakenPermission.asRoot.contains(change)
    try studio.run("umask 022; mkdir restricted; \(isAsRoot ? Self.policies : "")")
    let (grant, wait) =
      change == .expiry
      ? (
        "--for 10s",
        "moment $(awk -v from=$granted '{ print from + 10 - \(before) - $1 }' /proc/uptime)"
      ) : ("", "moment \(moment)")
    let status =
      change.changed.map { "stat -c %.9Z \($0); date +%s.%N; cut -d' ' -f1 /proc/uptime" }
    let outcome = try studio.run(
      """
      cat >script <<'END'
      eval "$functions"
      begun() {
        awk -v OFMT=%.3f -v frames="$(frames '')" '{ print $1 - frames / 48000 }' /proc/uptime
      }
      policies=/etc/recorder/policy.d
      \(isAsRoot ? "mount --bind \"$HOME/etc\" /etc" : "")
      "$recorder" permission grant \(grant) >said
      read -r granted rest </proc/uptime
      process=$("$recorder" start --device test:ramp --json a.wav | number pid); captured 1.2
      for look in 1 2 3 4 5; do begun; done | sort -n | head -n 1
      \(wait); frames ''; cut -d' ' -f1 /proc/uptime; kill -STOP $process; moment \(before)
      cut -d' ' -f1 /proc/uptime
      \(change.command)
      moment \(after); kill -CONT $process; "$recorder" wait >said; echo $?
      \(status ?? "")
      END
      \(isAsRoot ? "unshare -m" : "") sh script
      """)
    let numbers = outcome.output.split(separator: "\n").compactMap { Double($0) }
    try #require(numbers.count == (change.changed == nil ? 5 : 8), "\(outcome)")
    #expect(numbers[4] == (change == .expiry ? 25 : 24), "\(outcome)")
    let kept = Studio.ramp(try #require(try studio.soundBytes("a.wav")))
    // Frames that were lost while the session was stopped are silent.
    let isWhole = kept.indices.allSatisfy { kept[$0] == 0 || kept[$0] == UInt32($0) }
    #expect(isWhole, "\(change)")
    // Before a change whose time is unknown, the writer may be up to 0.6 s behind.
    #expect(kept.count > Int(numbers[1]) - 48_000, "\(change): \(kept.count) of \(numbers[1])")
    let events = try studio.audit()
    // The log and each answer with the number of frames may be late on a busy machine.
    let logged = try #require(events.first { $0.event == "start" }?.boottime)
    let began = min(logged, numbers[0], numbers[2] - numbers[1] / 48_000)
    let granted = try #require(events.first { $0.event == "grant" }?.boottime)
    let changed =
      change == .expiry
      ? granted + 10 : change.changed == nil ? numbers[3] : numbers[5] - numbers[6] + numbers[7]
    return began + Double(kept.count) / 48_000 - changed
  }

  /// Prepares a copy of `/etc` with a policy that restricts another device, and a policy that
  /// restricts every device.
  private static let policies = #"""
    cp -a /etc "$HOME/etc" && rm -rf "$HOME/etc/recorder" && mkdir -p "$HOME/etc/recorder/policy.d"
    policy() {
      echo '{"version":1,"rules":[{"service":"microphone","match":{'"$1"'},"status":"restricted"}]}'
    }
    policy '"devices":["test:tone"]' >"$HOME/etc/recorder/policy.d/a.json"
    policy '' >rule && cp rule restricted/a.json
    """#
}
