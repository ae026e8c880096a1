import Logging
import Testing
import XCallbackDaemon
import XCallbackTesting

struct JournalEntryTests {
    @Test func anEventIsALineForPeopleAndFieldsForPrograms() {
        let entry = JournalEntry(
            level: .info, message: "request failed",
            metadata: [
                "route.pattern": "notes:/notes/:id", "request.outcome": "error", "error.code": "404",
                "peer.uid": "1000", "duration.usec": "17", "error.message": "No such\nnote.",
            ])
        #expect(
            entry.fields == [
                #"MESSAGE=request failed duration.usec=17 error.code=404 error.message="No such\nnote." peer.uid=1000 "#
                    + "request.outcome=error route.pattern=notes:/notes/:id",
                "PRIORITY=6", "SYSLOG_IDENTIFIER=xcallbackd", "MESSAGE_ID=257856cce8f44189b069b54f5dd4b5b3",
                "XCALLBACK_DURATION_USEC=17", "XCALLBACK_CODE=404", "XCALLBACK_ERROR_MESSAGE=No such\nnote.",
                "XCALLBACK_PEER_UID=1000", "XCALLBACK_OUTCOME=error", "XCALLBACK_ROUTE=notes:/notes/:id",
            ])
    }

    static let messages = [
        ("connection ended: The message was not completed.", "connection ended"),
        ("connection refused: too many connections", "connection refused: too many connections"),
    ]

    /// What differs from entry to entry follows a colon.
    @Test(arguments: messages)
    func aMessageBelongsToItsKind(message: String, kind: String) throws {
        let entry = JournalEntry(level: .warning, message: message)
        let identifier = try #require(JournalMessage.identifiers[kind])
        #expect(entry.fields.last == "MESSAGE_ID=\(identifier)")
    }

    static let names = [
        ("a", "XCALLBACK_A"), ("limit.setting", "XCALLBACK_LIMIT_SETTING"), ("x-1 ß=", "XCALLBACK_X_1____"),
        (String(repeating: "k", count: 99), "XCALLBACK_" + String(repeating: "K", count: 48)),
    ]

    /// The journal takes capital letters, digits and underscores, 64 of them at most.
    @Test(arguments: names)
    func aKeyBecomesANameThatTheJournalTakes(key: String, name: String) {
        let entry = JournalEntry(level: .info, message: "m", metadata: ["\(key)": "v"])
        #expect(entry.fields.last == "\(name)=v")
    }

    @Test func aLongValueIsCut() {
        let entry = JournalEntry(level: .info, message: "m", metadata: ["k": "\(String(repeating: "x", count: 9_999))"])
        #expect(entry.fields.last == "XCALLBACK_K=" + String(repeating: "x", count: 4_096))
        #expect(entry.fields[0].utf8.count <= "MESSAGE=".utf8.count + 4_096)
    }

    @Test func theCatalogueExplainsEachKindAndNothingElse() throws {
        let catalogue = try textOfPackageFile("systemd/xcallbackd.catalog")
        let explained = catalogue.split(separator: "\n").filter { $0.hasPrefix("-- ") }.map { String($0.dropFirst(3)) }
        #expect(explained.count == Set(explained).count)
        #expect(Set(explained) == Set(JournalMessage.identifiers.values))
    }
}
