// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "start-button",
  dependencies: [.package(name: "recorder", path: "../..")],
  targets: [
    .executableTarget(
      name: "start-button",
      dependencies: [.product(name: "RecorderAVFoundation", package: "recorder")])
  ])
