// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "sound-board",
  dependencies: [.package(name: "recorder", path: "../..")],
  targets: [
    .executableTarget(
      name: "sound-board", dependencies: [.product(name: "RecorderKit", package: "recorder")])
  ])
