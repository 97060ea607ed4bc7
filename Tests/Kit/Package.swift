// swift-tools-version: 6.3
import PackageDescription

/// The products, as every dependent names them.
let library: [Target.Dependency] = ["RecorderKit", "RecorderFoundation", "RecorderAVFoundation"].map
{
  .product(name: $0, package: "recorder")
}

let package = Package(
  name: "Kit",
  // By path a package is known by the name of its directory, unless it is given one.
  dependencies: [.package(name: "recorder", path: "../..")],
  targets: [
    .target(name: "Bench", dependencies: library),
    // The same files twice, by a link that scripts/test-kit makes.
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
