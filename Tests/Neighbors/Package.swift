// swift-tools-version: 6.2
import PackageDescription

// A program that uses the library beside a web server whose types have the same names. It takes minutes to build.
let package = Package(
    name: "Neighbors",
    dependencies: [
        .package(name: "xcallbackd", path: "../..", traits: []),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "Neighbors",
            dependencies: [
                .product(name: "XCallback", package: "xcallbackd"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ]
)
