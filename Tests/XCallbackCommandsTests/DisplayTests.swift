import Testing
import XCallbackAdministration
import XCallbackClient
import XCallbackCommands
import XCallbackWire

/// How the daemon's figures are shown to people and to other programs.
struct DisplayTests {
    private static func value(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8).span, maximumSize: 1 << 20)
    }

    @Test(arguments: [
        "\u{1B}", "\n", "\u{202E}", "\u{2066}", "\u{200F}", "\u{2028}", "\u{E0000}", "\u{E0001}", "\u{E0002}",
        "\u{E0041}",
        "\u{E007F}", "\u{3164}", "\u{2800}", "\u{FE05}", "\u{E0100}",
    ])
    func whatWouldSteerATerminalIsSeen(character: String) {
        let text = "a\(character)b".withVisibleControls
        #expect(text.wholeMatch(of: /a<U\+[0-9A-F]{4,5}>b/) != nil, "\(text)")
    }

    private static let event =
        #"{"kind":"answer","time":1.25,"number":1,"id":"7h3kq2vd-41","url":"n:/\u001b","route":"n:/:a","origin":"desktop","#
        + #""peer":{"uid":1,"gid":2,"pid":3},"outcome":"error","code":404,"answer":"a:/e","by":"daemon","duration":0.5}"#

    @Test func anEventIsALineThatCannotSteerTheTerminal() throws {
        let event = try Client.Event(reading: Self.value(Self.event))
        let line = EventLine(isColoured: false).text(of: event)
        #expect(line.contains(".250  error 404  500 ms  desktop  1/3           7h3kq2vd-41   n:/:a "), "\(line)")
        #expect(line.hasSuffix("n:/<U+001B> -> a:/e"))
        #expect(EventLine(isColoured: true).text(of: event) == "\u{1B}[31m\(line)\u{1B}[m")
    }

    @Test(arguments: ["\"uid\":1000,\"gid\":2,\"pid\":4194304", "\"uid\":4294967294,\"gid\":2,\"pid\":4194304"])
    func aLongCellLeavesTheLastColumnsInLine(peer: String) throws {
        let text = Self.event.replacing("\"uid\":1,\"gid\":2,\"pid\":3", with: peer)
        let line = try EventLine(isColoured: false).text(of: Client.Event(reading: Self.value(text)))
        let title = EventLine.title(showingValues: true)
        let column = try #require(title.firstRange(of: "URL"))
        let before = title[..<column.lowerBound].count
        #expect(line.dropFirst(before).hasPrefix("n:/<U+001B>"), "\(line)")
    }
}
