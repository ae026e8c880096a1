import Testing
import XCallbackCommands

/// What a notification of the desktop gets of texts that others write.
struct UserNoticeTests {
    @Test(arguments: ["\u{1B}", "\r", "\u{85}", "\u{202E}", "\u{2067}"])
    func whatNobodyWouldSeeIsSeen(character: String) {
        let command = UserNotice.command("a\(character)b", "c\(character)d")
        #expect(command[3].wholeMatch(of: /a<U\+[0-9A-F]{4}>b/) != nil, "\(command)")
        #expect(command[4].wholeMatch(of: /c&lt;U\+[0-9A-F]{4}&gt;d/) != nil, "\(command)")
    }

    @Test func backslashesAreShownAsTheyAre() {
        #expect(UserNotice.command("a\\n", "b\\n\\").suffix(2) == ["a\\n", "b\\\\n\\\\"])
    }
}
