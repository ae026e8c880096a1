// swift-tools-version: 6.2
import PackageDescription

let logging = Target.Dependency.product(
    name: "Logging", package: "swift-log", condition: .when(traits: ["Programs"]))
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Programs"]))
/// What each module above the router needs.
let router: [Target.Dependency] = ["XCallbackWire", "XCallbackURL", "XCallbackRouter"]
/// What the configuration of the daemon adds to it.
let configuration: [Target.Dependency] =
    router + ["XCallbackLinux", "XCallbackEventLoop", "XCallbackConfiguration", "XCallbackPrograms", logging]

/// A package of others.
///
/// A source archive has it in Vendor, so that a build needs no network. Other builds of the programs take exactly this
/// version, so that a commit names all its sources; a package that depends on this one can have a newer one.
func dependency(_ name: String, from version: Version) -> Package.Dependency {
    let address = "https://github.com/apple/\(name)"
    return switch Context.environment["XCALLBACKD_DEPENDENCIES"] {
    case "vendor": .package(path: "Vendor/\(name)")
    case "exact": .package(url: address, exact: version)
    default: .package(url: address, from: version)
    }
}

let package = Package(
    name: "xcallbackd",
    products: [
        .executable(name: "xcallbackd", targets: ["xcallbackd"]),
        .executable(name: "xcallback", targets: ["xcallback"]),
        .library(name: "XCallback", targets: ["XCallback"]),
        .library(name: "XCallbackAdministration", targets: ["XCallbackAdministration"]),
    ],
    // Who takes the library alone asks for no traits, and fetches nothing else.
    traits: [
        .trait(name: "Programs", description: "The daemon and the command, which need packages of others."),
        .default(enabledTraits: ["Programs"]),
    ],
    dependencies: [
        dependency("swift-argument-parser", from: "1.8.2"),
        dependency("swift-log", from: "1.16.2"),
    ],
    targets: [
        // What C gives: two system libraries, and the Linux calls that Swift's Glibc lacks.
        // No pkg-config: it would warn whoever takes the library alone, and has none of them.
        .systemLibrary(name: "CSystemd"),
        .systemLibrary(name: "CLibYAML"),
        .target(name: "CLinux", cSettings: [.define("_FORTIFY_SOURCE", to: "3", .when(configuration: .release))]),

        // Pure modules: no descriptors, no clocks, no environment.
        .target(name: "XCallbackWire", resources: [.embedInCode("Varlink/org.varlink.service.varlink")]),
        .target(name: "XCallbackURL", dependencies: ["XCallbackWire"]),
        .target(name: "XCallbackRouter", dependencies: ["XCallbackURL", "XCallbackWire"]),

        // What Linux gives to programs: descriptors, errors, users, other programs.
        .target(name: "XCallbackLinux", dependencies: ["CLinux"]),

        // The daemon's parts.
        .target(name: "XCallbackEventLoop", dependencies: ["XCallbackWire", "XCallbackLinux", "CLinux"]),
        .target(name: "XCallbackConfiguration", dependencies: ["XCallbackLinux", "CLibYAML"]),
        .target(
            name: "XCallbackPrograms",
            dependencies: router + ["XCallbackLinux", "XCallbackEventLoop", "XCallbackConfiguration", logging],
            resources: [.embedInCode("Server/Varlink/org.xcallback.ProgramServer.varlink")]),
        .target(name: "XCallbackBuiltIns", dependencies: configuration),
        .target(
            name: "XCallbackDaemon",
            dependencies: configuration + ["XCallbackBuiltIns", "CLinux", "CSystemd"],
            resources: [.embedInCode("Varlink/org.xcallback.Router.varlink")]
        ),

        // For the authors of applications, and for programs that manage a daemon. The client is a module of its own, as
        // the command does without Foundation.
        .target(
            name: "XCallbackClient",
            dependencies: ["XCallbackURL", "XCallbackWire", "XCallbackRouter", "XCallbackLinux", "CLinux"]
        ),
        .target(name: "XCallbackAdministration", dependencies: router + ["XCallbackClient"]),
        .target(name: "XCallback", dependencies: router + ["XCallbackClient"]),

        // The programs. Without their trait they are empty: some builds of a dependent include them, but not what they import.
        .target(
            name: "XCallbackCommands",
            dependencies: configuration + [
                "XCallbackAdministration", "XCallbackClient", "XCallbackBuiltIns", "CLinux", argumentParser,
            ],
            resources: [.embedInCode("Completion/whole-words.bash")]
        ),
        .executableTarget(
            name: "xcallbackd", dependencies: [.target(name: "XCallbackDaemon", condition: .when(traits: ["Programs"]))]
        ),
        .executableTarget(
            name: "xcallback",
            dependencies: [.target(name: "XCallbackCommands", condition: .when(traits: ["Programs"])), "CLinux"]),

        // Tests: what they share, one target a module, and the programs as their users run them.
        .target(
            name: "XCallbackTesting",
            dependencies: router + ["CLinux"],
            path: "Tests/XCallbackTesting",
            // In debug builds too, as the lines and the answers of millions of requests are made and read here.
            swiftSettings: [.unsafeFlags(["-O"])]
        ),
        .testTarget(
            name: "XCallbackURLTests",
            dependencies: ["XCallbackURL", "XCallbackWire", "XCallbackTesting", "TestSupport"]),
        .testTarget(name: "XCallbackWireTests", dependencies: ["XCallbackWire", "XCallbackTesting", "TestSupport"]),
        .testTarget(name: "XCallbackRouterTests", dependencies: router + ["XCallbackTesting", "TestSupport"]),
        .testTarget(name: "XCallbackLinuxTests", dependencies: ["XCallbackLinux", "XCallbackTesting", "TestSupport"]),
        .testTarget(
            name: "XCallbackEventLoopTests",
            dependencies: [
                "XCallbackWire", "XCallbackRouter", "XCallbackLinux", "XCallbackEventLoop", "XCallbackTesting",
                "TestSupport",
            ]),
        .testTarget(
            name: "XCallbackConfigurationTests",
            dependencies: ["XCallbackConfiguration", "XCallbackTesting", "TestSupport"]),
        .testTarget(
            name: "XCallbackProgramsTests",
            dependencies: ["XCallbackWire", "XCallbackLinux", "XCallbackEventLoop", "XCallbackPrograms"]),
        .testTarget(
            name: "XCallbackBuiltInsTests",
            dependencies: configuration + ["XCallbackBuiltIns", "XCallbackTesting", "TestSupport"]),
        .testTarget(
            name: "XCallbackDaemonTests",
            dependencies: configuration + [
                "XCallbackBuiltIns", "XCallbackDaemon", "XCallbackTesting", "TestSupport",
            ]
        ),
        .testTarget(
            name: "XCallbackTests",
            dependencies: router + [
                "XCallback", "XCallbackAdministration", "XCallbackClient", "XCallbackLinux", "XCallbackTesting",
                "TestSupport",
            ]
        ),
        .testTarget(
            name: "XCallbackCommandsTests",
            dependencies: [
                "XCallbackAdministration", "XCallbackClient", "XCallbackCommands", "XCallbackURL", "XCallbackWire",
                "XCallbackTesting", "TestSupport",
                "xcallback",
                "xcallbackd",
                argumentParser,
            ]
        ),
        .testTarget(
            name: "XCallbackFuzzingTests", dependencies: ["XCallbackFuzzing", "XCallbackTesting", "TestSupport"]),
        // What several of the folders of IntegrationTests use. A test target, because no other one can import Testing here.
        .testTarget(name: "TestSupport", dependencies: ["XCallbackTesting", "XCallbackWire"]),

        // The daemon in a world of its own, where everything can happen at once.
        .executableTarget(
            name: "simulate",
            dependencies: configuration + [
                "XCallbackBuiltIns", "XCallbackDaemon", "XCallbackTesting", "CLinux",
                argumentParser,
            ],
            path: "Tests/Simulator"
        ),

        // What must hold for any bytes; 'make fuzz' looks for bytes for which it does not.
        .target(
            name: "XCallbackFuzzing",
            dependencies: configuration + [
                "XCallbackAdministration", "XCallbackCommands", "XCallbackBuiltIns", "XCallbackDaemon",
                "XCallbackTesting",
            ],
            path: "Tests/XCallbackFuzzing"
        ),
    ],
    swiftLanguageModes: [.v6]
)

// The programs as their users run them, a target a folder.
let folders = [
    "Assistants", "Commands", "Desktop", "Documents", "Limits", "Lines", "Programs", "Receivers", "Releases", "Stop",
    "Varlink",
]
package.targets += folders.map {
    .testTarget(
        name: "\($0)IntegrationTests",
        dependencies: [
            "XCallback", "XCallbackAdministration", "XCallbackWire", "XCallbackTesting", "TestSupport", "CLinux",
            "xcallbackd",
            "xcallback",
        ],
        path: "Tests/IntegrationTests/\($0)"
    )
}

// libFuzzer brings the 'main' of this program, and is only there if the build asks for it: see 'make fuzz'.
if Context.environment["FUZZING"] == "yes" {
    package.targets.append(
        .executableTarget(name: "fuzz", dependencies: ["XCallbackFuzzing"], path: "Tests/Fuzz"))
}

for target in package.targets where ![.system, .plugin, .binary].contains(target.type) && !target.name.hasPrefix("C") {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .treatAllWarnings(as: .error),
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        ]
}
