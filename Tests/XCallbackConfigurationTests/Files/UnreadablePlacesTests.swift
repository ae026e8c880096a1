import Glibc
import TestSupport
import Testing
import XCallbackConfiguration
import XCallbackTesting

/// What the daemon may not look into is a fault, never as good as absent.
struct UnreadablePlacesTests {
    private let directory: TemporaryDirectory
    private let places: ConfigurationPlaces

    init() throws {
        directory = try TemporaryDirectory()
        places = ConfigurationPlaces(ofUser: "\(directory.path)/home", below: directory.path)
        try directory.write("a: 1", to: "etc/xcallbackd/user/config.yaml")
        try directory.write("a: 2", to: "home/xcallbackd/config.yaml")
        try directory.write("b: 2", to: "home/xcallbackd/routes.d/a.yaml")
        try directory.write("b: 3", to: "usr/lib/xcallbackd/user/routes.d/b.yaml")
        chmod(directory.path, 0o755)
    }

    /// What is read without root's access: whether that is all, a line for each file, and the faults.
    private func read() throws -> [String] {
        let (documents, faults) = try withoutRootsAccess {
            let faults = FaultList()
            let reader = DocumentReader(ownership: .rootOrUser(geteuid()))
            return (ConfigurationDocuments(in: places, reader, faults: faults), faults)
        }
        let files = [documents.main?.outline ?? "-"] + documents.dropIns.map(\.outline)
        let told = faults.told.map { "\($0)".replacing("\(directory.path)/", with: "") }
        return [documents.isComplete ? "all" : "not all"] + files + told
    }

    private static let denied =
        "cannot be opened: permission denied; let uid \(geteuid()) read it, and enter the directories above it"

    static let closed: [(directory: String, mode: mode_t, read: [String])] = [
        ("home", 0, ["-", "{b: 3}", "home/xcallbackd: \(denied)"]),
        ("home/xcallbackd", 0, ["-", "{b: 3}", "home/xcallbackd: \(denied)"]),
        ("home/xcallbackd", 0o444, ["-", "{b: 3}", "home/xcallbackd/config.yaml: \(denied)"]),
        ("home/xcallbackd/routes.d", 0, ["{a: 2}", "{b: 3}", "home/xcallbackd/routes.d: \(denied)"]),
        (
            "home/xcallbackd/routes.d", 0o444,
            ["{a: 2}", "{b: 3}", "home/xcallbackd/routes.d/a.yaml: \(denied)"]
        ),
        ("usr/lib/xcallbackd", 0o700, ["{a: 2}", "{b: 2}", "usr/lib/xcallbackd/user: \(denied)"]),
        ("usr/lib/xcallbackd/user", 0o711, ["{a: 2}", "{b: 2}", "usr/lib/xcallbackd/user: \(denied)"]),
        (
            "etc/xcallbackd/user", 0o444,
            ["{a: 2}", "{b: 2}", "{b: 3}", "etc/xcallbackd/user/config.yaml: \(denied)"]
        ),
    ]

    @Test(arguments: closed)
    func aClosedDirectoryIsAFault(name: String, mode: mode_t, expected: [String]) throws {
        let path = directory.path(of: name)
        // The test's own user is the owner of all, so the others' mode is the owner's too.
        chmod(path, geteuid() == 0 ? mode : (mode & 7) << 6)
        defer { chmod(path, 0o755) }
        expect(try read(), equals: ["not all"] + expected)
    }

    @Test func whatStandsBelowAFileIsAbsent() throws {
        let places = ConfigurationPlaces(
            ofUser: try directory.write("", to: "file"), below: directory.path)
        let faults = FaultList()
        let documents = ConfigurationDocuments(in: places, DocumentReader(ownership: .any), faults: faults)
        #expect(documents.main?.outline == "{a: 1}")
        #expect(faults.told == [])
    }

    static let incomplete: [(file: String, isComplete: Bool)] = [
        ("home/xcallbackd/routes.d/c.yml", false), ("etc/xcallbackd/user/routes.d", false),
        ("home/xcallbackd/routes.d/c.bak", true),
    ]

    @Test(arguments: incomplete)
    func aDropInThatCouldNotBeReadMayHoldWhatIsMissing(file: String, isComplete: Bool) throws {
        try directory.write("", to: file)
        expect(try read().first, equals: (isComplete ? "all" : "not all"))
    }
}
