// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "tutorial-player",
  dependencies: [.package(name: "recorder", path: "../..")],
  targets: [
    .executableTarget(
      name: "tutorial-player",
      dependencies: [.product(name: "RecorderAVFoundation", package: "recorder")])
  ])
