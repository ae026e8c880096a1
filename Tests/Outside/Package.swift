// swift-tools-version: 6.2
import PackageDescription

// A package outside: what an author of applications builds, with the settings that a new package has, and with others.
// It holds what the documents show, and each kind of function that the library takes.
let package = Package(
    name: "Outside",
    dependencies: [
        .package(name: "xcallbackd", path: "../..", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(name: "Comments", dependencies: [.product(name: "XCallback", package: "xcallbackd")]),
        .target(name: "Functions", dependencies: [.product(name: "XCallback", package: "xcallbackd")]),
        // The same file again.
        .target(
            name: "FunctionsNonsending", dependencies: [.product(name: "XCallback", package: "xcallbackd")],
            swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        .target(
            name: "FunctionsOnMainActor", dependencies: [.product(name: "XCallback", package: "xcallbackd")],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        .target(
            name: "FunctionsInSwift5", dependencies: [.product(name: "XCallback", package: "xcallbackd")],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(name: "CMainLoop", linkerSettings: [.linkedLibrary(":libglib-2.0.so.0")]),
        .executableTarget(
            name: "GLibHandler", dependencies: ["CMainLoop", .product(name: "XCallback", package: "xcallbackd")]),
        .target(name: "SlowRouter", dependencies: [.product(name: "XCallback", package: "xcallbackd")]),
        .executableTarget(
            name: "EndsOnSignal", dependencies: ["SlowRouter", .product(name: "XCallback", package: "xcallbackd")]),
        .executableTarget(
            name: "EndsInMainFile", dependencies: ["SlowRouter", .product(name: "XCallback", package: "xcallbackd")]),
        .executableTarget(
            name: "EndsInActor", dependencies: ["SlowRouter", .product(name: "XCallback", package: "xcallbackd")]),
        .executableTarget(
            name: "EndsWithLifecycle",
            dependencies: [
                "SlowRouter", .product(name: "XCallback", package: "xcallbackd"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .executableTarget(name: "readlater", dependencies: [.product(name: "XCallback", package: "xcallbackd")]),
        .testTarget(
            name: "OutsideTests",
            dependencies: [
                "readlater", .product(name: "XCallback", package: "xcallbackd"),
                .product(name: "XCallbackAdministration", package: "xcallbackd"),
            ]),
    ]
)

// Swift 5 warns of functions that Swift 6 sees to be safe.
for target in package.targets where target.name != "FunctionsInSwift5" {
    target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
