// swift-tools-version: 6.3
import PackageDescription

/// The products, as every dependent package names them.
let library: [Target.Dependency] = ["RecorderKit", "RecorderFoundation", "RecorderAVFoundation"].map
{
  .product(name: $0, package: "recorder")
}

let package = Package(
  name: "Kit",
  // A package given by its path has the name of its directory, unless a name is given.
  dependencies: [.package(name: "recorder", path: "../..")],
  targets: [
    .target(name: "Bench", dependencies: library),
    // The same files, compiled twice by means of a link that scripts/test-kit creates.
    .target(name: "Shapes5", dependencies: library, swiftSettings: [.swiftLanguageMode(.v5)]),
    .target(name: "Shapes6", dependencies: library, swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(name: "apple-probe", dependencies: library + ["Bench"]),
    .testTarget(name: "RecorderKitTests", dependencies: library + ["Bench"]),
    .testTarget(
      name: "RecorderAVFoundationTests",
      dependencies: library + ["Bench", "Shapes5", "Shapes6", "apple-probe"]),
  ],
  swiftLanguageModes: [.v6]
)
