// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Whole-daemon runs beside its peers. The daemon is a program that is named on the command line, so that nothing of the
// main package is built here, and nothing of this when the main package is tested.
let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        // What the programs share: clock, histogram, options, limits.
        .target(name: "CMeasure"),

        // The programs that load, and those that are loaded.
        .executableTarget(name: "load", dependencies: ["CMeasure"]),
        .executableTarget(name: "yardstick", dependencies: ["CMeasure"]),
        .executableTarget(name: "bus-load", dependencies: ["CMeasure"], linkerSettings: [.linkedLibrary("systemd")]),
        .executableTarget(name: "bus-peer", linkerSettings: [.linkedLibrary("systemd")]),

        // The program that starts all of them, attacks daemons, and compares.
        .executableTarget(
            name: "benchmark",
            dependencies: ["CMeasure", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: swiftSettings
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.swiftSettings == nil {
    target.cSettings = [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]
    // SwiftPM links Swift's library even to programs in C, whose start would take three times as long with it.
    let noRuntime = LinkerSetting.unsafeFlags(["-enable-experimental-feature", "Embedded"])
    if target.type == .executable { target.linkerSettings = (target.linkerSettings ?? []) + [noRuntime] }
}
