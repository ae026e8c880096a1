// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Greetings",
    dependencies: [
        .package(name: "xcallbackd", path: "../../..", traits: [])
    ],
    targets: [
        .target(name: "Greetings", dependencies: [.product(name: "XCallback", package: "xcallbackd")]),
        .executableTarget(
            name: "greeter", dependencies: ["Greetings", .product(name: "XCallback", package: "xcallbackd")]),
        .executableTarget(
            name: "greet", dependencies: ["Greetings", .product(name: "XCallback", package: "xcallbackd")]),
        .testTarget(
            name: "GreetingsTests", dependencies: ["Greetings", .product(name: "XCallback", package: "xcallbackd")]),
    ]
)
