// swift-tools-version: 6.3
import PackageDescription

/// Warnings are errors if the variable is set. The Makefile and the scripts set it. A package that depends on this
/// package does not set it, so the new warnings of a newer compiler do not stop its build.
let warnings: [SwiftSetting] =
  Context.environment["RECORDER_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let strict: [SwiftSetting] =
  warnings + [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
  ]

/// The settings of the tests and of most benchmarks. These targets may use unsafe pointers without marking them.
let strictTests: [SwiftSetting] =
  warnings + [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableExperimentalFeature("Lifetimes"),
  ]

/// Computes with samples. Their tests take five times as long without the optimizer. Another package may not set this
/// option.
let numeric: Set = ["Audio", "RealTime", "Devices", "Analysis", "Exports"]

func layer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict + optimized(name))
}

func tests(of name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: [.byName(name: name), "Support"] + dependencies,
    swiftSettings: strictTests + optimized(name))
}

func optimized(_ name: String) -> [SwiftSetting] {
  guard !warnings.isEmpty, numeric.contains(name) else { return [] }
  return [.unsafeFlags(["-O"], .when(configuration: .debug))]
}

let package = Package(
  name: "recorder",
  products: [
    .library(name: "RecorderKit", targets: ["RecorderKit"]),
    .library(name: "RecorderFoundation", targets: ["RecorderFoundation"]),
    .library(name: "RecorderAVFoundation", targets: ["RecorderAVFoundation"]),
  ],
  targets: [
    // The program loads most of these libraries at their first use, so it does not link them. It links only jansson and
    // libmd.
    .systemLibrary(name: "CALSA", providers: [.apt(["libasound2-dev"])]),
    .systemLibrary(name: "CPipeWire"),
    .systemLibrary(name: "CSndFile", providers: [.apt(["libsndfile1-dev"])]),
    // Loaded by the commands that measure loudness.
    .systemLibrary(name: "CEbur128", providers: [.apt(["libebur128-dev"])]),
    // Loaded when the program writes its first picture.
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    // Loaded when the program first converts a sample rate.
    .systemLibrary(name: "CSoxr", providers: [.apt(["libsoxr-dev"])]),
    .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(name: "CLinux"),
    // Loaded by the guard, and by the commands about programs.
    .systemLibrary(name: "CSystemd"),
    .systemLibrary(name: "CMD", providers: [.apt(["libmd-dev"])]),

    layer("Linux", ["CLinux"]),
    layer("JSON", ["CJansson"]),
    layer("Audio", []),
    // Links the static archive, which adds 5 kB to the program. The shared library would cost more time at each start.
    .target(
      name: "Digest", dependencies: ["CMD"], swiftSettings: strict,
      linkerSettings: [.linkedLibrary(":libmd.a")]),
    layer("Permission", ["Digest", "JSON", "Linux"]),
    layer("Bus", ["CSystemd", "Linux"]),
    layer("RealTime", ["Audio"]),
    layer("PipeWire", ["CPipeWire", "Audio", "JSON", "Linux", "RealTime"]),
    layer("Devices", ["CALSA", "Audio", "JSON", "Linux", "PipeWire", "RealTime"]),
    layer("Files", ["CSndFile", "CSoxr", "Audio", "Linux", "RealTime"]),
    layer("Control", ["Audio", "JSON", "Linux"]),
    layer("Store", ["Control", "Audio", "Digest", "JSON", "Linux"]),
    layer("Recording", ["Audio", "RealTime", "Linux"]),
    layer("Playback", ["Audio", "RealTime", "Linux"]),
    layer("Decoding", ["Audio", "Files", "Linux", "RealTime"]),
    layer(
      "Sounds",
      ["Audio", "Control", "Decoding", "Devices", "Files", "JSON", "Linux", "Playback"]),
    layer("Analysis", ["CEbur128", "Audio", "Files", "Linux", "RealTime"]),
    layer(
      "Exports",
      [
        "Analysis", "Audio", "Control", "Decoding", "Files", "JSON", "Linux", "PipeWire",
        "RealTime",
      ]),
    layer(
      "Takes",
      [
        "Control", "Devices", "Digest", "Files", "Permission", "RealTime", "Recording", "Store",
        "Linux", "JSON", "Audio",
      ]),
    // The program does not import this target. In a target that the program imports, these classes would make the
    // program larger, because the linker cannot omit unused classes.
    layer(
      "Hosting",
      ["Audio", "Decoding", "Devices", "Files", "JSON", "Linux", "Playback", "Sounds"]),
    layer(
      "RecorderKit",
      [
        "Takes", "Sounds", "Hosting", "Audio", "Control", "Decoding", "Devices", "Files", "JSON",
        "Linux",
        "Permission", "Playback", "RealTime", "Recording", "Store",
      ]),
    layer("RecorderFoundation", ["RecorderKit"]),
    layer("RecorderAVFoundation", ["RecorderKit"]),
    layer(
      "Pictures",
      ["CZlib", "Audio", "Digest", "JSON", "Linux"]),
    layer("Hooks", ["Audio", "Control", "Digest", "Linux", "Store"]),
    layer(
      "Guard",
      ["Bus", "Control", "Digest", "JSON", "Linux", "Permission", "PipeWire", "Store"]),
    layer(
      "Commands",
      [
        "Analysis", "Audio", "Control", "Decoding", "Devices", "Exports", "Files", "Guard", "Hooks",
        "JSON", "Linux", "Permission", "Pictures", "Playback", "Recording", "Sounds", "Store",
        "Takes",
      ]),

    .executableTarget(name: "recorder", dependencies: ["Commands"], swiftSettings: strict),

    .executableTarget(name: "compare", path: "Benchmarks/Compare", swiftSettings: strict),

    .executableTarget(
      name: "files-probe", dependencies: ["Files", "Audio", "Linux"], path: "Tests/FilesProbe",
      swiftSettings: strictTests),
    .executableTarget(
      name: "bench-mixed", dependencies: ["Audio", "Playback"], path: "Benchmarks/Mixed",
      swiftSettings: strictTests),
    .executableTarget(
      name: "bench-realtime", dependencies: ["RealTime", "Audio"], path: "Benchmarks/RealTime",
      swiftSettings: strictTests),

    .target(
      name: "Support", dependencies: ["Linux"], path: "Tests/Support",
      swiftSettings: strictTests),
    tests(of: "Linux", []),
    tests(of: "JSON", []),
    tests(of: "Audio", []),
    tests(of: "RealTime", ["Audio"]),
    .testTarget(
      name: "PipeWireTests",
      dependencies: ["PipeWire", "Support", "Audio", "CAllocations", "Linux"],
      exclude: ["interface.c"], swiftSettings: strictTests),
    tests(of: "Devices", ["Audio", "CAllocations", "Linux", "PipeWire"]),
    .testTarget(
      name: "HardwareTests",
      dependencies: [
        "recorder", "Devices", "Audio", "CAllocations", "Linux", "Support",
      ],
      swiftSettings: strictTests),
    .target(name: "CAllocations", path: "Tests/CAllocations"),
    tests(of: "Files", ["Audio", "Linux", "files-probe"]),
    tests(
      of: "Commands",
      [
        "Analysis", "Audio", "Control", "Decoding", "Devices", "Digest", "Files", "Guard", "JSON",
        "Linux", "Permission", "Pictures", "Recording", "Sounds", "Store", "Takes",
      ]),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "recorder", "embedding", "hosting", "CSndFile", "Commands", "Linux",
        "Store", "Support",
      ],
      swiftSettings: strictTests, linkerSettings: [.linkedLibrary("sndfile")]),
    tests(of: "Control", ["Audio", "JSON", "Linux"]),
    tests(of: "Store", ["Audio", "Control", "JSON", "Linux"]),
    tests(
      of: "Takes",
      [
        "Audio", "Control", "Devices", "Files", "JSON", "Linux", "Permission", "RealTime",
        "Recording", "Store",
      ]),
    // These tests use internal declarations. Tests/Kit tests the library as other packages use it.
    .testTarget(name: "LibraryTests", dependencies: ["RecorderKit"], swiftSettings: strictTests),
    tests(of: "Permission", ["Commands", "Digest", "JSON", "Linux", "permission-hammer"]),
    .executableTarget(
      name: "permission-hammer", dependencies: ["Commands", "Permission", "Linux"],
      path: "Tests/PermissionHammer", swiftSettings: strictTests),
    tests(of: "Recording", ["Audio", "CAllocations", "Devices", "Linux", "RealTime"]),
    tests(of: "Playback", ["Audio", "CAllocations", "Devices", "Linux"]),
    tests(of: "Decoding", ["Audio", "Files", "Linux"]),
    tests(of: "Analysis", ["Audio", "Linux"]),
    tests(of: "Pictures", ["Audio", "Commands"]),
    tests(of: "Guard", ["Bus", "Linux", "Permission", "PipeWire"]),
    tests(of: "Exports", ["Analysis", "Audio", "Decoding", "Files", "JSON", "Linux"]),
    tests(
      of: "Sounds", ["Audio", "Control", "Decoding", "Devices", "Hosting", "Linux", "Playback"]),
    // A program that links the targets of the product, as other programs can.
    .executableTarget(
      name: "embedding", dependencies: ["Control", "Linux", "Sounds", "Takes"],
      path: "Tests/Embedding", swiftSettings: strictTests),
    // A program that uses the library.
    .executableTarget(
      name: "hosting", dependencies: ["RecorderAVFoundation", "RecorderKit"], path: "Tests/Hosting",
      swiftSettings: strictTests),
  ]
)

// Only the fuzz build has these targets, because it adds libFuzzer's hooks to every function.
if Context.environment["RECORDER_FUZZ"] != nil {
  package.targets += [
    .systemLibrary(name: "CFuzzer", path: "Tests/CFuzzer"),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "CFuzzer", "Commands", "Control", "Decoding", "Devices", "Digest", "Files",
        "JSON", "Audio", "Linux", "Permission", "Recording", "Sounds", "Store", "Takes",
      ],
      path: "Tests/Fuzz", exclude: ["corpus"], swiftSettings: strictTests),
  ]
}

// With RECORDER_TESTS=Recording,Playback, for example, the package has only these tests, so a build of the tests needs
// only the targets that these tests use.
if let names = Context.environment["RECORDER_TESTS"]?.split(separator: ",") {
  package.targets.removeAll { $0.type == .test && !names.contains($0.name.dropLast(5)) }
}
