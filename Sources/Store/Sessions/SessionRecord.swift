package import Audio
package import Control
package import JSON
package import Linux

/// The paths of sessions: sockets, locks, records of live sessions, results and the catalogue.
package struct SessionPaths: Hashable, Sendable {
  /// The state directory, which outlives the session and the login. Each machine that shares the
  /// home directory has its own state directory.
  package let state: String
  /// The directory for sockets only.
  package let runtime: String
  /// The directory of all machines, in the home directory. The state directory of each machine is
  /// below this directory.
  package let home: String

  /// Creates the paths under these directories. By default, `home` is the state directory.
  package init(state: String, runtime: String, home: String? = nil) {
    self.state = state
    self.runtime = runtime
    self.home = home ?? state
  }

  /// Returns the paths of this user on this machine.
  ///
  /// - Parameter claiming: true if a file is about to be written to the state directory.
  ///   `MachineDirectories.claim` then creates the directory.
  package static func current(claiming: Bool = false) throws(DirectoryRefusal) -> SessionPaths {
    let base = try base()
    for name in ["sessions", MachineDirectories.file]
    where (try? FileStatus(of: base.state.path(of: name))) != nil {
      throw DirectoryRefusal(base.state, .outdated)
    }
    let hosts = MachineDirectories(home: base.state)
    let state = claiming ? try hosts.claim() : hosts.state
    return SessionPaths(state: state, runtime: runtime(base, hosts.host) ?? state, home: base.state)
  }

  /// Returns the directory for the sockets of a machine. Each machine has its own directory,
  /// because containers may share the runtime directory of the login. Returns nil if the login has
  /// no runtime directory. The state directory is then used for the sockets.
  static func runtime(_ base: BaseDirectories, _ host: Host) -> String? {
    base.runtime.isSameName(as: base.state)
      ? nil : base.runtime.path(of: String(host.machine.prefix(8)))
  }

  /// Returns the path of the user's own trash.
  package static func trash() throws(DirectoryRefusal) -> String { try base().trash }

  /// Returns the directories of this user, independent of the machine.
  static func base() throws(DirectoryRefusal) -> BaseDirectories {
    try BaseDirectories(
      DirectoryRefusal.of("/", BaseDirectories.Facts.current()))
  }

  /// The directory for locks, records and logs of sessions.
  package var sessions: String { state + "/sessions" }
  /// The directory for results that no command has reported yet.
  package var results: String { state + "/results" }
  /// The directory for results of cancelled recordings whose files were deleted.
  package var deleted: String { state + "/deleted" }
  /// The directory for records of sessions that died.
  package var interrupted: String { state + "/interrupted" }
  /// The directory for announcements of files that are about to get their final names.
  package var ending: String { state + "/ending" }

  /// The directory with a spool directory for each series that is delivered.
  package var deliveries: String { state + "/deliveries" }

  /// The directory for records of meters and of readers.
  package var meters: String { state + "/meters" }

  /// Returns the socket of a meter. No recording can have the name of this socket.
  package func socket(ofMeter identifier: String) -> String {
    runtime + "/" + Self.socket(ofMeter: identifier)
  }

  static func socket(ofMeter identifier: String) -> String { "_meter-\(identifier).sock" }

  /// Returns the socket of a session.
  package func socket(of name: SessionName) -> String { runtime + "/" + name.text + ".sock" }

  /// Returns the socket that a session uses if a session with another state directory already
  /// listens at the usual socket. No recording can have the name of this socket.
  package func socket(ofTake identifier: String) -> String { runtime + "/_take-\(identifier).sock" }

  /// Returns the log of a session without a terminal.
  package func log(of name: SessionName) -> String { sessions + "/" + name.text + ".log" }

  /// Returns the lock file of a session name. A live session holds the lock of this file.
  package static func lock(of name: SessionName) -> String { name.text + ".lock" }
  /// Returns the file that contains the record of the session with this name.
  package static func record(of name: SessionName) -> String { name.text + ".json" }
  /// Returns the file that reserves disk space for the end of the session with this name.
  static func room(of name: SessionName) -> String { name.text + ".room" }
  /// The file of the catalogue in the state directory.
  package static let catalogue = "takes.jsonl"
}

/// The record of a live session on the disk. If the session dies, its take can be found by the
/// record.
package struct SessionRecord: Hashable, Sendable {
  /// The identifier of the take, which is also valid as a file name.
  package var identifier: String
  /// The name that the user gave to the session.
  package var name: String
  /// The process number of the session, on its own host.
  package var process: Int32
  /// The start time of the process, in clock ticks since the boot. The start time and the process
  /// number together identify the process.
  package var started: Int64?
  /// The client that requested the recording, or nil for the client without a name.
  package var client: String?
  /// The tracks of the take, at least one. They have channels once their devices are open.
  package var tracks: [Track]
  /// The final path of the take's file, or nil for the standard output.
  package var path: String?
  /// The hidden files that do not have their final names yet. The file that is being written is
  /// last. Empty for the standard output, and before the device is open.
  package var parts: [RecordedPart] = []
  /// The path of the session's socket, or nil for the usual path.
  package var socket: String?
  /// The moment since 1970 at which the take began.
  package var began: Duration
  /// The host on which the session runs.
  package var host: Host
  /// True if a program that uses the library hosts the session. No command may kill this program.
  package var isHosted = false
  /// Whether the process reads a recording that another process makes. `name` is then the name of
  /// that recording.
  package var isReader = false
  /// Whether the loss of the dead session's parts was reported.
  package var isReported = false
  /// The output of the take, which is needed to repair its file, or nil until the device is open.
  package var output: OutputPlan?
  /// The format that the device delivers, or nil until the device is open.
  package var stream: StreamFormat?
  /// The sample format, rate and channels in the file, or nil until the device is open.
  package var file: StreamFormat?

  /// Returns true if `text` is the name of the recording or the identifier of the take.
  package func isNamed(_ text: String) -> Bool {
    name.isSameName(as: text) || identifier.isSameName(as: text)
  }

  /// Creates a record with the facts known before the device is open.
  package init(
    identifier: String, name: String, process: Int32, device: String, path: String?,
    began: Duration, on host: Host = .current
  ) {
    self.identifier = identifier
    self.name = name
    self.process = process
    tracks = [Track(device: device)]
    self.path = path
    self.began = began
    self.host = host
  }
}

extension SessionRecord {
  /// The device of the first track, as typed by the user.
  package var device: String { tracks.first?.device ?? "" }

  /// The final paths of the take's files: one path, or one for each track. Empty for the standard
  /// output. Before the device is open, only the first path is known.
  package var paths: [String] {
    guard let path else { return [] }
    let (directory, name) = path.pathParts
    let tracks = output?.tracks ?? []
    return [path]
      + tracks.dropFirst().map {
        directory.path(of: TrackFileName.replacing(tracks[0], by: $0, in: name))
      }
  }

  /// Returns the hidden paths of the files of a part, in the order of `paths`.
  package func files(of part: RecordedPart) -> [String] {
    let others = output?.tracks.dropFirst() ?? []
    return [part.path] + others.map { TrackPart.name(of: $0, beside: part.path) }
  }

  /// Returns true if `file` is the hidden or the final path of a file of the recording.
  package func writes(_ file: Path) -> Bool {
    (paths + parts.flatMap(files(of:))).contains { Path($0) == file }
  }

  /// The path of the part that is being written, or nil if there is none.
  package var part: String? { parts.last?.path }

  /// The paths of the parts that still exist under their hidden names, oldest first.
  package var left: [String] { parts.filter(\.isLeft).map(\.path) }

  /// True while any part exists.
  package var isLeft: Bool { parts.contains(where: \.isLeft) }
}

extension SessionRecord: JSONMembers {
  /// A record whose members are about to be read.
  package static var blank: SessionRecord {
    SessionRecord(identifier: "", name: "", process: 1, device: "", path: nil, began: .zero)
  }

  /// Lists the members of the record's file.
  package mutating func list(in form: inout JSONForm) {
    form.member("id", &identifier)
    // The identifier becomes a file name in the directory of interrupted sessions.
    form.require(SessionName(identifier) != nil)
    form.member("name", &name)
    form.member("pid", &process, in: 1...Int32.max)
    form.member("started", &started, in: .sizes)
    form.member("client", &client)
    form.member(tracks: &tracks)
    form.member("path", &path)
    form.member("parts", &parts)
    form.member("socket", &socket)
    form.member("began", &began, Duration.init(moment:)) { $0.moment }
    form.member("host", &host)
    form.member("hosted", &isHosted, or: false)
    form.member("reader", &isReader, or: false)
    form.member("reported", &isReported, or: false)
    form.member("output", &output)
    form.member("stream", &stream)
    form.member("file", &file)
  }
}
