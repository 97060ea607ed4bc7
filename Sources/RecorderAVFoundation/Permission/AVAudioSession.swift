public import Foundation
internal import Synchronization

/// The intentions of the program with sound. The sound server mixes all programs, so that a category only says
/// whether this one may record.
open class AVAudioSession: NSObject, @unchecked Sendable {
  // Unchecked: everything that changes is in a mutex.

  private struct State {
    var category: Category?
    var mode = Mode.default
    var options: CategoryOptions = []
    var preferredSampleRate = 0.0
  }

  private static let shared = AVAudioSession()
  private let state = Mutex(State())

  /// The only one.
  open class func sharedInstance() -> AVAudioSession { shared }

  /// The use that the program makes of sound; `soloAmbient` until it is set.
  open var category: Category { state.withLock { $0.category ?? .soloAmbient } }
  /// The mode that was set; it changes nothing here.
  open var mode: Mode { state.withLock { $0.mode } }
  /// The options that were set; they change nothing here.
  open var categoryOptions: CategoryOptions { state.withLock { $0.options } }

  /// Says what the program does with sound.
  open func setCategory(_ category: Category) throws {
    try setCategory(category, mode: .default, options: [])
  }

  /// Says what the program does with sound; the options change nothing here.
  open func setCategory(_ category: Category, options: CategoryOptions) throws {
    try setCategory(category, mode: .default, options: options)
  }

  /// Says what the program does with sound; mode and options change nothing here.
  open func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
    state.withLock { ($0.category, $0.mode, $0.options) = (category, mode, options) }
  }

  /// Sets the mode, which changes nothing here.
  open func setMode(_ mode: Mode) throws { state.withLock { $0.mode = mode } }

  /// Deactivating stops every player and recorder that runs, and then throws `isBusy`, as on Apple's systems.
  open func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
    guard !active, RunningSounds.stopAll() > 0 else { return }
    throw NSError(
      domain: NSOSStatusErrorDomain, code: ErrorCode.isBusy.rawValue,
      userInfo: [
        NSLocalizedDescriptionKey: "players or recorders were running; they have been stopped"
      ])
  }

  /// The rate that was set, or 0.
  open var preferredSampleRate: Double { state.withLock { $0.preferredSampleRate } }
  /// Remembers a rate; a recorder's own settings decide.
  open func setPreferredSampleRate(_ rate: Double) throws {
    state.withLock { $0.preferredSampleRate = rate }
  }

  /// The permission to record; it asks nobody.
  open var recordPermission: RecordPermission {
    RecordPermission(AVCaptureDevice.authorizationStatus(for: .audio))
  }

  /// Asks in the terminal if nothing is decided, and calls the handler once, never before this returns.
  @preconcurrency
  open func requestRecordPermission(_ response: @escaping @Sendable (Bool) -> Void) {
    AVCaptureDevice.requestAccess(for: .audio, completionHandler: response)
  }

  /// False where the category that was set is for playing alone.
  var allowsRecording: Bool {
    guard let category = state.withLock({ $0.category }) else { return true }
    return [.record, .playAndRecord, .multiRoute].contains(category)
  }
}

extension AVAudioSession {
  /// The use that a program makes of sound.
  public struct Category: RawRepresentable, Hashable, Sendable {
    /// Apple's name of the constant.
    public let rawValue: String
    /// The category of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Plays beside others.
    public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
    /// Plays alone; the category of those who set none.
    public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
    /// Plays, and does not record.
    public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
    /// Records.
    public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
    /// Plays and records.
    public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
    /// Plays and records on several devices.
    public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")
  }

  /// A refinement of a category.
  public struct Mode: RawRepresentable, Hashable, Sendable {
    /// Apple's name of the constant.
    public let rawValue: String
    /// The mode of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// None.
    public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
    /// Talk over a network.
    public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
    /// Talk with pictures.
    public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
    /// Sound without processing.
    public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
    /// Speech that is listened to.
    public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
    /// The sound of a film.
    public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
    /// The sound of a film that is taken.
    public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")
    /// Speech that tells the way.
    public static let voicePrompt = Mode(rawValue: "AVAudioSessionModeVoicePrompt")
  }

  /// The options of a category.
  public struct CategoryOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// The options of those bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Plays beside others.
    public static let mixWithOthers = CategoryOptions(rawValue: 1)
    /// Others become quieter.
    public static let duckOthers = CategoryOptions(rawValue: 2)
    /// Headsets without wires.
    public static let allowBluetooth = CategoryOptions(rawValue: 4)
    /// The loudspeaker and not the receiver.
    public static let defaultToSpeaker = CategoryOptions(rawValue: 8)
    /// Interrupts speech of others.
    public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 17)
    /// Headphones without wires.
    public static let allowBluetoothA2DP = CategoryOptions(rawValue: 32)
    /// Loudspeakers without wires.
    public static let allowAirPlay = CategoryOptions(rawValue: 64)
  }

  /// The options of `setActive`.
  public struct SetActiveOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// The options of those bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Tells other programs that they may go on.
    public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
  }

  /// The errors of a session.
  public enum ErrorCode: Int, Error, Sendable {
    /// Players or recorders were running; `!act`.
    case isBusy = 560_030_580
  }

  /// The permission to record; the numbers are four letters each.
  public enum RecordPermission: UInt, Sendable {
    /// Nobody has decided yet; `undt`.
    case undetermined = 1_970_168_948
    /// The user or a policy of the machine forbids it; `deny`.
    case denied = 1_684_369_017
    /// Recording is allowed; `grnt`.
    case granted = 1_735_552_628
  }
}

extension AVAudioSession.RecordPermission {
  /// The permission by the status of the device, of which it does not tell a policy from a refusal.
  init(_ status: AVAuthorizationStatus) {
    self =
      switch status {
      case .notDetermined: .undetermined
      case .restricted, .denied: .denied
      case .authorized: .granted
      }
  }
}

/// A player or a recorder that `setActive(false)` stops.
protocol RunningSound: AnyObject, Sendable {
  /// Stops; false where it did not run.
  func stopForSession() -> Bool
}

/// The players and recorders of this process; none is kept alive.
enum RunningSounds {
  private struct Member: Sendable {
    weak let sound: (any RunningSound)?
  }

  private static let members = Mutex<[ObjectIdentifier: Member]>([:])

  static func add(_ sound: any RunningSound) {
    members.withLock { $0[ObjectIdentifier(sound)] = Member(sound: sound) }
  }

  static func remove(_ sound: any RunningSound) {
    members.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(sound)) }
  }

  /// Stops all that run, and returns their number.
  static func stopAll() -> Int {
    let sounds = members.withLock { $0.values.compactMap(\.sound) }
    return sounds.filter { $0.stopForSession() }.count
  }
}
