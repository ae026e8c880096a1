import Testing
import XCallbackEventLoop
import XCallbackLinux
import XCallbackTesting

@Suite(.timeLimit(.minutes(10)))
struct OwnerTableTests {
    private static let users: [String: UInt32] = ["alice": 1000, "bob": 1001, "root": 0, "1and1": 1002]

    @Test(
        arguments: [
            ("alice:100000:65536", 99_999, .unlistedUsers),
            ("alice:100000:65536", 100_000, .user(1000)),
            ("alice:100000:65536", 165_535, .user(1000)),
            ("alice:100000:65536", 165_536, .unlistedUsers),
            ("1001:100000:1", 100_000, .user(1001)),
            ("1and1:100000:1", 100_000, .user(1002)),
            ("alice:100000:65536\r\nbob:165536:65536\r\n", 165_535, .user(1000)),
            ("alice:100000:65536\r\nbob:165536:65536\r\n", 165_536, .user(1001)),
            ("\n\n# alice:0:1\n\nbob:100000:10:\n", 100_009, .user(1001)),
            // The first of the lines that overlap counts.
            ("alice:100000:10\nbob:100005:10", 100_009, .user(1000)),
            ("alice:100000:10\nbob:100005:10", 100_010, .user(1001)),
            ("bob:100002:2\nalice:100000:10", 100_001, .user(1000)),
            ("bob:100002:2\nalice:100000:10", 100_003, .user(1001)),
            ("bob:100002:2\nalice:100000:10", 100_004, .user(1000)),
            // No range goes on behind the last ID.
            ("alice:4294967295:2", .max, .user(1000)),
            ("alice:4294967290:4294967295", 100_000, .unlistedUsers),
            ("alice:100000:18446744073709551615", .max, .user(1000)),
        ] as [(String, UInt32, Owner)])
    func aRangeBelongsToTheUserOfItsLine(text: String, userID: UInt32, owner: Owner) {
        #expect(Self.table(text).owner(of: userID) { _ in false } == owner)
    }

    @Test(arguments: [
        "", "alice", "alice:100000", "alice::65536", "alice:100000:", ":100000:65536", "#alice:100000:65536",
        "#1000:100000:65536", "eve:100000:65536", "alice:100000:0", "alice:+100000:65536", "alice:-1:65536",
        "alice: 100000:65536", "alice:0x186a0:65536", "alice:4294967296:65536", "4294967296:100000:65536",
        "alice:100000:18446744073709551616", "alice:100000:٣", "\u{FFFD}:100000:65536", "alice 100000 65536",
    ])
    func anInvalidLineIsIgnored(line: String) {
        #expect(Self.table("\(line)\nbob:100005:5").owner(of: 100_000) { _ in false } == .unlistedUsers)
        #expect(Self.table("\(line)\nbob:100005:5").owner(of: 100_005) { _ in false } == .user(1001))
    }

    @Test(
        arguments: [
            // An ID below 65,536 is its own owner, and nobody asks, unless another user's range has it.
            ("", 33, false, .user(33)),
            ("", 65_535, false, .user(65_535)),
            ("root:1000:1", 1000, false, .user(1000)),
            ("bob:1:50000", 33, true, .user(33)),
            ("bob:1:50000", 33, false, .user(1001)),
            // A higher one is, if it is known and no login has it by default.
            ("", 65_536, false, .unlistedUsers),
            ("", 65_536, true, .user(65_536)),
            ("root:1000000:1000000000", 720_000_000, true, .user(720_000_000)),
            ("root:1000000:1000000000", 720_000_000, false, .unlistedUsers),
            ("bob:100000:65536", 100_000, true, .user(1001)),
        ] as [(String, UInt32, Bool, Owner)])
    func aKnownUserIsItsOwnOwner(text: String, userID: UInt32, isKnown: Bool, owner: Owner) {
        #expect(Self.table(text).owner(of: userID) { $0 == userID && isKnown } == owner)
    }

    @Test func aFileIsRead() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "subuid")
        #expect(OwnerTable.read(path).owner(of: 100_000) { _ in false } == .unlistedUsers)
        try directory.write("root:1:1\n1001:100000:65536\n", to: "subuid")
        #expect(OwnerTable.read(path).owner(of: 165_535) { _ in false } == .user(1001))
        // The end of a line that is longer than the limit could turn its number into another one.
        let line = "1001:100000:65536\n"
        try directory.write(String(repeating: "#", count: 1 << 20 - 19) + "\n\(line)\(line)", to: "subuid")
        #expect(OwnerTable.read(path).owner(of: 165_535) { _ in false } == .user(1001))
        try directory.write(String(repeating: "#", count: 1 << 20 - 15) + "\n\(line)\(line)", to: "subuid")
        #expect(OwnerTable.read(path).owner(of: 100_000) { _ in false } == .unlistedUsers)
    }

    private static func table(_ text: String) -> OwnerTable { OwnerTable(text) { users[$0] } }
}
