// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableExperimentalFeature("Lifetimes"),
]

/// Tests and benchmarks may use Foundation and unsafe pointers; everything else is as strict as the product.
let strictTests: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableExperimentalFeature("Lifetimes"),
]

func layer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(of name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: [.byName(name: name), "Support"] + dependencies,
    swiftSettings: strictTests)
}

let package = Package(
  name: "recorder",
  targets: [
    .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
    // Loaded when it is needed, so nothing is linked.
    .systemLibrary(name: "CSndFile", providers: [.apt(["libsndfile1-dev"])]),
    .systemLibrary(name: "CSoxr", pkgConfig: "soxr", providers: [.apt(["libsoxr-dev"])]),
    .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CMD", providers: [.apt(["libmd-dev"])]),

    layer("Linux", ["CLinux"]),
    layer("JSON", ["CJansson"]),
    layer("Audio", []),
    // The archive, because a shared library would cost each start more than the 5 kB that this adds.
    .target(
      name: "Digest", dependencies: ["CMD"], swiftSettings: strict,
      linkerSettings: [.linkedLibrary(":libmd.a")]),
    layer("Permission", ["Digest", "JSON", "Linux"]),
    layer("RealTime", ["Audio"]),
    layer("Devices", ["CALSA", "Audio", "JSON", "Linux"]),
    layer("Files", ["CSndFile", "CSoxr", "Audio", "Linux", "RealTime"]),
    layer("Control", ["Audio", "JSON", "Linux"]),
    layer("Store", ["Control", "Audio", "Digest", "JSON", "Linux"]),
    layer("Recording", ["Audio", "RealTime", "Linux"]),
    layer("Playback", ["Audio", "RealTime", "Linux"]),
    layer("Decoding", ["Audio", "Files", "Linux", "RealTime"]),
    layer(
      "Sounds",
      ["Audio", "Control", "Decoding", "Devices", "Files", "JSON", "Linux", "Playback"]),
    layer(
      "Takes",
      [
        "Control", "Devices", "Digest", "Files", "Permission", "RealTime", "Recording", "Store",
        "Linux", "JSON", "Audio",
      ]),
    layer("CommandLine", ["Linux", "JSON", "Audio", "Control", "Permission", "Store"]),
    layer(
      "Engine",
      [
        "CommandLine", "Control", "Decoding", "Devices", "Digest", "Files", "Permission",
        "Playback", "Recording", "RealTime", "Sounds", "Store", "Takes", "Linux", "JSON", "Audio",
      ]),

    .executableTarget(
      name: "recorder", dependencies: ["CommandLine"], swiftSettings: strict),
    .executableTarget(
      name: "recorder-engine", dependencies: ["Engine"], swiftSettings: strict),

    .executableTarget(name: "compare", path: "Benchmarks/Compare", swiftSettings: strict),

    .executableTarget(
      name: "files-probe", dependencies: ["Files", "Audio", "Linux"], path: "Tests/FilesProbe",
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
    tests(of: "Devices", ["Audio", "CAllocations", "Linux"]),
    .testTarget(
      name: "HardwareTests",
      dependencies: [
        "recorder", "recorder-engine", "Devices", "Audio", "CAllocations", "Linux", "Support",
      ],
      swiftSettings: strictTests),
    .target(name: "CAllocations", path: "Tests/CAllocations"),
    tests(of: "Files", ["Audio", "Linux", "files-probe"]),
    tests(of: "CommandLine", ["Audio", "Control", "JSON", "Linux", "Permission", "Store"]),
    tests(
      of: "Engine",
      [
        "CommandLine", "Control", "Devices", "Digest", "Files", "Linux", "JSON", "Audio",
        "Permission", "Recording", "Store", "Takes",
      ]),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "recorder", "recorder-engine", "embedding", "CSndFile", "CommandLine", "Linux", "Support",
      ],
      swiftSettings: strictTests, linkerSettings: [.linkedLibrary("sndfile")]),
    tests(of: "Control", ["Audio", "JSON", "Linux"]),
    tests(of: "Store", ["Audio", "Control", "JSON", "Linux"]),
    tests(
      of: "Takes",
      [
        "Audio", "Control", "Devices", "Files", "JSON", "Linux", "Permission", "Recording", "Store",
      ]),
    // The words for what is decided are in CommandLine, and the tables check both.
    tests(of: "Permission", ["CommandLine", "Digest", "JSON", "Linux", "permission-hammer"]),
    .executableTarget(
      name: "permission-hammer", dependencies: ["CommandLine", "Permission", "Linux"],
      path: "Tests/PermissionHammer", swiftSettings: strictTests),
    tests(of: "Recording", ["Audio", "CAllocations", "Devices", "Linux", "RealTime"]),
    tests(of: "Playback", ["Audio", "CAllocations", "Devices", "Linux"]),
    tests(of: "Decoding", ["Audio", "Files", "Linux"]),
    tests(of: "Sounds", ["Audio", "Control", "Decoding", "Devices", "Linux", "Playback"]),
    // A program that has the product in itself, as others do that link these targets.
    .executableTarget(
      name: "embedding", dependencies: ["Control", "Sounds", "Takes"], path: "Tests/Embedding",
      swiftSettings: strictTests),
  ]
)

// Their build has libFuzzer's hooks in every function, so no other build knows them.
if Context.environment["RECORDER_FUZZ"] != nil {
  package.targets += [
    .systemLibrary(name: "CFuzzer", path: "Tests/CFuzzer"),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "CFuzzer", "CommandLine", "Control", "Decoding", "Devices", "Digest", "Engine", "Files",
        "JSON", "Audio", "Linux", "Permission", "Recording", "Sounds", "Store", "Takes",
      ],
      path: "Tests/Fuzz", exclude: ["corpus"], swiftSettings: strictTests),
  ]
}
