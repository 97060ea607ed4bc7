internal import Control
internal import Linux

extension StartCommand {
  static let split = Option<Duration>(
    "split", summary: "Start a new file after this long")
  static let align = Option<Alignment>(
    "align", summary: "Start files at full hours and the like by the local clock")
  static let keep = Option<Retention>(
    "keep", summary: "Delete older files of this series")
  static let onSegment = Option<ProgramPath>(
    "on-segment", summary: "Run a program for each finished file")
  static let onStop = Option<ProgramPath>(
    "on-stop", summary: "Run a program when the recording ends")

  static let seriesGroup = OptionGroup(
    "In several files", [split, align, keep, onSegment, onStop])

  /// The alignment of the files' beginnings.
  enum Alignment: String, Choice {
    case clock

    static let placeholder = "WHAT"
  }

  /// Long enough for each file to have audio, and each program time to run.
  private static var shortest: Duration { .seconds(1) }

  /// Adds the split of the take into files, and the handling of those files, to the plan.
  static func addSeries(_ arguments: Arguments, to plan: inout RecordingPlan) throws(Failure) {
    plan.output.split = try splitPlan(arguments)
    plan.output.keep = arguments[keep]?.plan
    plan.onSegment = try program(arguments[onSegment], "--on-segment")
    plan.onStop = try program(arguments[onStop], "--on-stop")
    if plan.output.path == nil {
      let isSeries = plan.output.split != nil || plan.output.keep != nil || plan.onSegment != nil
      guard !isSeries else {
        throw usage("a recording to stdout has no files; remove --split, --keep and --on-segment")
      }
    }
    if plan.output.replaces, plan.output.split != nil {
      throw usage("--split takes the next free name and never replaces a file; remove --force")
    }
  }

  private static func splitPlan(_ arguments: Arguments) throws(Failure) -> SplitPlan? {
    guard let length = arguments[split] else {
      if arguments[align] != nil {
        throw usage("--align needs --split")
      }
      return nil
    }
    guard length >= shortest else { throw usage("--split is at least 1s") }
    return SplitPlan(length: length, isAligned: arguments[align] == .clock)
  }

  private static func program(
    _ program: ProgramPath?, _ option: String
  ) throws(Failure) -> String? {
    guard let program else { return nil }
    guard let directory = try? Program.workingDirectory(),
      let path = program.resolved(in: directory)
    else { throw usage("\(option): there is no program \(quoted(program.text)) that can be run") }
    return path
  }
}
