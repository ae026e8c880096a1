// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as it brings SwiftNIO and takes minutes to build; `make bench HTTP=no` leaves it out.
let package = Package(
    name: "http-peer",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1")
    ],
    targets: [
        .executableTarget(
            name: "http-peer",
            dependencies: [.product(name: "Hummingbird", package: "hummingbird")]
        )
    ],
    swiftLanguageModes: [.v6]
)
