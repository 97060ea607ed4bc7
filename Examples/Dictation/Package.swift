// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "dictation",
  dependencies: [.package(name: "recorder", path: "../..")],
  targets: [
    .executableTarget(
      name: "dictation", dependencies: [.product(name: "RecorderKit", package: "recorder")])
  ])
