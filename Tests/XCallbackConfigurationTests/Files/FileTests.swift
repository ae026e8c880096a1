import Glibc
import Testing
import XCallbackConfiguration
import XCallbackTesting

struct FileTests {
    static let ownership: [(mode_t, uid_t, FileOwnership, String)] = [
        (0o644, 0, .rootOrUser(0), ""), (0o600, 1_234, .rootOrUser(1_234), ""), (0o644, 0, .rootOrUser(1_234), ""),
        (0o666, 1_234, .any, ""), (0o644, 0, .rootOrUnknownUser, ""),
        (
            0o666, 0, .rootOrUnknownUser,
            "expected a file that only its owner may write to, found mode 0666; try 'chmod go-w'"
        ),
        (0o644, 1_234, .rootOrUser(0), "expected a file that belongs to root, found uid 1234"),
        (0o644, 1_234, .rootOrUser(1_000), "expected a file that belongs to root or uid 1000, found uid 1234"),
        (
            0o666, 0, .rootOrUser(0),
            "expected a file that only its owner may write to, found mode 0666; try 'chmod go-w'"
        ),
        (
            0o620, 0, .rootOrUser(1_000),
            "expected a file that only its owner may write to, found mode 0620; try 'chmod go-w'"
        ),
        (
            0o602, 0, .rootOrUser(1_000),
            "expected a file that only its owner may write to, found mode 0602; try 'chmod go-w'"
        ),
    ]

    @Test(.enabled(if: geteuid() == 0), arguments: ownership)
    func aFileThatOthersCouldHaveWrittenIsAFault(mode: mode_t, owner: uid_t, ownership: FileOwnership, fault: String)
        throws
    {
        try withTemporaryDirectory { directory in
            let path = try write("a: 1\n", to: "\(directory)/config.yaml")
            #expect(chown(path, owner, 0) == 0 && chmod(path, mode) == 0)
            let (outline, printed) = read(path, ownership)
            #expect(outline == "{a: 1}")
            #expect(printed == (fault.isEmpty ? "" : "config.yaml: \(fault)"))
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func whomAFileMayBelongToIsLeftOpenWhereTheDaemonsUserIsNotKnown() throws {
        try withTemporaryDirectory { directory in
            let path = try write("a: 1\n", to: "\(directory)/config.yaml")
            chown(path, 1_234, 0)
            let faults = FaultList()
            let documents = ConfigurationDocuments(
                in: ConfigurationPlaces(file: path), DocumentReader(ownership: .rootOrUnknownUser), faults: faults)
            #expect(documents.isComplete && faults.isEmpty)
            #expect(
                faults.leftUnchecked.warnings.map(\.message) == [
                    "the owner of a file, uid 1234, because neither a daemon nor a service manager here says which user the "
                        + "daemon runs as: expected root or that user"
                ])
        }
    }

    @Test func theFileAndNotItsLinkIsChecked() throws {
        try withTemporaryDirectory { directory in
            let path = try write("a: 1\n", to: "\(directory)/real")
            #expect(chmod(path, 0o666) == 0 && symlink(path, "\(directory)/link") == 0)
            #expect(read("\(directory)/link", .rootOrUser(geteuid())).faults.contains("found mode 0666"))
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give links away"))
    func everyLinkOnTheWayMustBelongToRootOrTheUser() throws {
        try withTemporaryDirectory { directory in
            _ = try write("a: 1\n", to: "\(directory)/real")
            mkdir("\(directory)/below", 0o755)
            let links = [("first", "\(directory)/folder/second"), ("folder", "below"), ("below/second", "./../real")]
            for (name, target) in links { #expect(symlink(target, "\(directory)/\(name)") == 0) }
            let path = "\(directory)/first"
            for name in ["first", "folder", "below/second"] {
                #expect(read(path, .rootOrUser(1_000)) == ("{a: 1}", ""))
                lchown("\(directory)/\(name)", 1_234, 0)
                let what = name == "first" ? "a link" : "a link at '\(directory)/\(name)'"
                let fault = "config.yaml: expected \(what) that belongs to root or uid 1000, found uid 1234"
                #expect(read(path, .rootOrUser(1_000)).faults == fault)
                #expect(read(path, .rootOrUser(1_234)) == ("{a: 1}", ""))
                lchown("\(directory)/\(name)", 0, 0)
            }
        }
    }

    @Test func aFileThatTheKernelFindsByItsDescriptorIsRead() throws {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        #expect(fputs("a: 1\n", file) >= 0 && fflush(file) == 0)
        #expect(read("/proc/self/fd/\(fileno(file))", .any).outline == "{a: 1}")
    }

    @Test func whatIsNotAFileIsAFault() throws {
        try withTemporaryDirectory { directory in
            #expect(mkfifo("\(directory)/pipe", 0o600) == 0 && symlink("loop", "\(directory)/loop") == 0)
            let faults = [
                directory: "expected a file, found a directory",
                "\(directory)/pipe": "expected a file, found a special file",
                "\(directory)/absent": "cannot be opened: no such file or directory",
                "\(directory)/loop": "cannot be opened: too many levels of symbolic links",
            ]
            for (path, fault) in faults {
                let (outline, printed) = read(path, .any)
                #expect(outline == nil)
                #expect(printed == "config.yaml: \(fault)")
            }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func everyLinkOnTheWayIsSeenWhateverItsName() throws {
        try withTemporaryDirectory { directory in
            // To Swift a slash before a combining mark is no slash, and the last name is no text at all.
            let names = ["\u{301}plain", "plain"].map { Array($0.utf8CString) } + [[0x63, -0x17, 0]]
            for (number, name) in names.enumerated() {
                let folder = "\(directory)/\(number)"
                _ = try TestFailure.check("mkdir", mkdir(folder, 0o755))
                let below = Array("\(folder)/".utf8CString.dropLast()) + name
                _ = try TestFailure.check("mkdir", mkdir(below, 0o755))
                let file = Array(below.dropLast()) + Array("/config.yaml".utf8CString)
                _ = try TestFailure.check("creat", creat(file, 0o644))
                let link = "\(directory)/link-\(number)"
                #expect(symlink(folder, link) == 0)
                let text = Array("\(link)/".utf8CString.dropLast()) + file.dropFirst(folder.utf8.count + 1)
                #expect(symlink(text, "\(directory)/file-\(number)") == 0)
                let (outline, printed) = read("\(directory)/file-\(number)", .rootOrUser(0))
                #expect(outline == "{}")
                #expect(printed.isEmpty)
                #expect(lchown(link, 12_341, 0) == 0)
                let fault = read("\(directory)/file-\(number)", .rootOrUser(0)).faults
                let expected = "expected a link at '\(link)' that belongs to root, found uid 12341"
                #expect(fault.contains(expected), "\(fault)")
            }
        }
    }

    @Test func aMaskedFileIsAnEmptyMapping() throws {
        try withTemporaryDirectory { directory in
            #expect(symlink("/dev/null", "\(directory)/masked") == 0)
            let (outline, printed) = read("\(directory)/masked", .rootOrUser(geteuid()))
            #expect(outline == "{}")
            #expect(printed.isEmpty)
        }
    }

    @Test func aFileMayBeAsLargeAsTheLimit() throws {
        try withTemporaryDirectory { directory in
            let text = "# " + String(repeating: "x", count: 1_048_574)
            let path = try write(text, to: "\(directory)/large")
            #expect(read(path, .any).outline == "{}")
            _ = try write(text + "x", to: path)
            let (outline, printed) = read(path, .any)
            #expect(outline == nil)
            #expect(printed == "config.yaml: expected at most 1048576 bytes, found a larger file")
        }
    }

    private func read(_ path: String, _ ownership: FileOwnership) -> (outline: String?, faults: String) {
        let faults = FaultList()
        let reader = DocumentReader(ownership: ownership)
        let documents = ConfigurationDocuments(in: ConfigurationPlaces(file: path), reader, faults: faults)
        let printed = faults.told.map(\.description).joined(separator: "\n")
        return (documents.main?.outline, printed.replacing(path, with: "config.yaml"))
    }

    private func write(_ text: String, to path: String) throws -> String {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        #expect(fputs(text, file) >= 0)
        return path
    }

    private func withTemporaryDirectory(_ body: (String) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        try withExtendedLifetime(directory) { try body(directory.path) }
    }
}
