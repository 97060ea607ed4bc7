// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "level-meter",
  dependencies: [.package(name: "recorder", path: "../..")],
  targets: [
    .executableTarget(
      name: "level-meter", dependencies: [.product(name: "RecorderKit", package: "recorder")])
  ])
