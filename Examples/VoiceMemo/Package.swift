// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "voice-memo",
  dependencies: [.package(name: "recorder", path: "../..")],
  targets: [
    .executableTarget(
      name: "voice-memo", dependencies: [.product(name: "RecorderKit", package: "recorder")])
  ])
