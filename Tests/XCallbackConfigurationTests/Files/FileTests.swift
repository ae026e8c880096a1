import Glibc
import TestSupport
import Testing
import XCallbackConfiguration
import XCallbackTesting

struct FileTests {
    private let temporary: TemporaryDirectory
    private var directory: String { temporary.path }

    init() throws {
        temporary = try TemporaryDirectory()
    }

    static let ownership: [(mode: mode_t, owner: uid_t, ownership: FileOwnership, fault: String)] = [
        (0o644, 0, .rootOrUser(0), ""), (0o600, 1_234, .rootOrUser(1_234), ""), (0o644, 0, .rootOrUser(1_234), ""),
        (0o666, 1_234, .any, ""), (0o644, 0, .rootOrUnknownUser, ""),
        (
            0o666, 0, .rootOrUnknownUser,
            "expected a file that only its owner may write to, found mode 0666: run 'chmod go-w config.yaml'"
        ),
        (0o644, 1_234, .rootOrUser(0), "expected a file that belongs to root, found uid 1234"),
        (0o644, 1_234, .rootOrUser(1_000), "expected a file that belongs to root or uid 1000, found uid 1234"),
        (
            0o666, 0, .rootOrUser(0),
            "expected a file that only its owner may write to, found mode 0666: run 'chmod go-w config.yaml'"
        ),
        // Root's group is root's own.
        (0o620, 0, .rootOrUser(1_000), ""),
        (
            0o602, 0, .rootOrUser(1_000),
            "expected a file that only its owner may write to, found mode 0602: run 'chmod go-w config.yaml'"
        ),
    ]

    @Test(.enabled(if: geteuid() == 0), arguments: ownership)
    func aFileThatOthersCouldHaveWrittenIsAFault(mode: mode_t, owner: uid_t, ownership: FileOwnership, fault: String)
        throws
    {
        let path = try temporary.write("a: 1\n", to: "config.yaml")
        #expect(chown(path, owner, 0) == 0 && chmod(path, mode) == 0)
        let (outline, printed) = read(path, ownership)
        #expect(outline == "{a: 1}")
        #expect(printed == (fault.isEmpty ? "" : "config.yaml: \(fault)"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func whomAFileMayBelongToIsLeftOpenWhereTheDaemonsUserIsNotKnown() throws {
        let path = try temporary.write("a: 1\n", to: "config.yaml")
        chown(path, 1_234, 0)
        let faults = FaultList()
        let documents = ConfigurationDocuments(
            in: ConfigurationPlaces(file: path), DocumentReader(ownership: .rootOrUnknownUser), faults: faults)
        #expect(documents.isComplete && faults.isEmpty)
        #expect(
            faults.leftUnchecked.warnings.map(\.message) == [
                "the owner of a file, uid 1234, because only the daemon knows which user it runs as: expected root or "
                    + "that user"
            ])
    }

    @Test func theFileAndNotItsLinkIsChecked() throws {
        let path = try temporary.write("a: 1\n", to: "real")
        #expect(chmod(path, 0o666) == 0 && symlink(path, "\(directory)/link") == 0)
        #expect(read("\(directory)/link", .rootOrUser(geteuid())).faults.contains("found mode 0666"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func theGroupThatMayWriteIsTheUsersOwn() throws {
        let path = try temporary.write("a: 1\n", to: "config.yaml")
        #expect(chown(path, 0, 100) == 0 && chmod(path, 0o664) == 0)
        #expect(read(path, .rootOrUser(0)).faults.contains("found mode 0664"))
        // The umask 002 of many distributions.
        #expect(chown(path, 0, 0) == 0 && chmod(directory, 0o775) == 0)
        #expect(read(path, .rootOrUser(0)) == ("{a: 1}", ""))
    }

    private static let setfacl = "/usr/bin/setfacl"

    /// Its mode is that of a file to which the user's own group may write.
    @Test(
        .enabled(if: geteuid() == 0 && access(setfacl, X_OK) == 0, "needs root and setfacl"),
        arguments: ["user:1234:rw", "group:1234:rw"])
    func aFileToWhichAListLetsOthersWriteIsAFault(entry: String) throws {
        let path = try temporary.write("a: 1\n", to: "config.yaml")
        #expect(chown(path, 0, 0) == 0 && chmod(path, 0o664) == 0)
        #expect(read(path, .rootOrUser(0)).faults == "")
        expect(try ChildProcess.run([Self.setfacl, "--modify=\(entry)", path]).status, equals: 0)
        #expect(read(path, .rootOrUser(0)).faults.contains("expected a file that only its owner may write to"))
        expect(try ChildProcess.run([Self.setfacl, "--modify=\(entry.dropLast())", path]).status, equals: 0)
        #expect(chmod(path, 0o644) == 0)
        #expect(read(path, .rootOrUser(0)).faults == "")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func aLinkMayLeadAnywhereIfNobodyElseCanReplaceWhatIsThere() throws {
        mkdir("\(directory)/dotfiles", 0o755)
        mkdir("\(directory)/dotfiles/sticky", 0o1777)
        chmod("\(directory)/dotfiles/sticky", 0o1777)
        try temporary.write("a: 1\n", to: "dotfiles/sticky/real")
        let path = "\(directory)/config.yaml"
        #expect(symlink("dotfiles/sticky/real", path) == 0)
        chmod(directory, 0o755)
        #expect(read(path, .rootOrUser(1_000)) == ("{a: 1}", ""))
        let folder = "\(directory)/dotfiles"
        chown(folder, 1_234, 0)
        let fault = "config.yaml: expected a directory '\(folder)' that belongs to root or uid 1000, found uid 1234"
        #expect(read(path, .rootOrUser(1_000)).faults == fault)
        #expect(read(path, .rootOrUser(1_234)) == ("{a: 1}", ""))
        chown(folder, 0, 100)
        chmod(folder, 0o775)
        #expect(read(path, .rootOrUser(1_000)).faults.hasSuffix("found mode 0775: run 'chmod go-w \(folder)'"))
    }

    @Test func aMaskedFileIsAnEmptyMapping() throws {
        #expect(symlink("/dev/null", "\(directory)/masked") == 0)
        let (outline, printed) = read("\(directory)/masked", .rootOrUser(geteuid()))
        #expect(outline == "{}")
        #expect(printed.isEmpty)
    }

    @Test func aFileMayBeAsLargeAsTheLimit() throws {
        let text = "# " + String(repeating: "x", count: 1_048_574)
        let path = try temporary.write(text, to: "large")
        #expect(read(path, .any).outline == "{}")
        try temporary.write(text + "x", to: "large")
        let (outline, printed) = read(path, .any)
        #expect(outline == nil)
        #expect(printed == "config.yaml: expected at most 1048576 bytes, found a larger file")
    }

    private func read(_ path: String, _ ownership: FileOwnership) -> (outline: String?, faults: String) {
        let faults = FaultList()
        let reader = DocumentReader(ownership: ownership)
        let documents = ConfigurationDocuments(in: ConfigurationPlaces(file: path), reader, faults: faults)
        let printed = faults.told.map(\.description).joined(separator: "\n")
        return (documents.main?.outline, printed.replacing(path, with: "config.yaml"))
    }
}
