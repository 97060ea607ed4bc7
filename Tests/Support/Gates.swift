import Foundation
import Testing

extension Trait where Self == ConditionTrait {
  /// Runs the test only if the variable is set. If it is not, the skipped test reports this.
  package static func requires(_ variable: String) -> Self {
    .enabled(
      if: ProcessInfo.processInfo.environment[variable] != nil,
      "set \(variable)=1 to run this test")
  }

  /// Runs the test only if the program is installed.
  package static func requires(tool: String) -> Self {
    .enabled(if: Tool.path(of: tool) != nil, "\(tool) is not installed")
  }

  /// Runs the test only if a program can be built with the C library.
  package static func requires(package: String) -> Self {
    .enabled(
      if: (try? Tool.run("pkg-config", ["--exists", package]))?.code == 0,
      "\(package) is not installed for building against")
  }

  /// Runs the test only if GLib's programs reach the desktop's trash, through a daemon of gvfs.
  package static var requiresTrashDaemon: Self {
    .enabled(
      if: (try? Tool.run("dbus-run-session", ["--", "gio", "list", "trash:///"]))?.code == 0,
      "gvfs is not installed, without which gio has no trash")
  }

  /// Runs the test only as root.
  package static var requiresRoot: Self {
    .enabled(if: geteuid() == 0, "only root can make what this test needs")
  }

  /// Runs the test only as an ordinary user, because file permissions do not restrict root.
  package static var requiresOrdinaryUser: Self {
    .enabled(if: geteuid() != 0, "root may do everything that this test expects to fail")
  }

  /// Runs the test only with a release build, for comparisons with other programs or hours of
  /// sound.
  package static var requiresReleaseBuild: Self {
    #if DEBUG
      .enabled(
        if: Products.releaseDirectory != nil,
        "only the release build is that fast: name its directory by RECORDER_PROGRAMS")
    #else
      .enabled(if: true)
    #endif
  }

  /// Runs the test only if the kernel lets this user mount private filesystems.
  package static var requiresNamespaces: Self {
    .enabled(
      if: (try? Tool.run("unshare", ["-rm", "true"]))?.code == 0,
      "this user may not make namespaces to mount a small disk in")
  }
}
