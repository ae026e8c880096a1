import Testing
import XCallbackCommands

/// What tools get of a question, and what their ends mean.
struct QuestionToolTests {
    private static let lines = ["Delete “<b>&lt;\\n_x”?", "", "Now"]

    @Test func zenityGetsTheTextAsItIs() {
        let command = QuestionTool.zenity.command("Confirm a", Self.lines)
        #expect(command.starts(with: ["zenity", "--question", "--default-cancel", "--no-markup", "--no-wrap"]))
        #expect(command.last == "--text=Delete “<b>&lt;\\n_x”?\n\nNow")
    }

    @Test func kdialogGetsHTMLThatShowsTheText() {
        let command = QuestionTool.kdialog.command("Confirm a", Self.lines)
        #expect(command.starts(with: ["kdialog", "--title", "Confirm a", "--menu"]))
        let text = "Delete “&lt;b&gt;&amp;lt;&#92;n_x”?\n\nNow"
        #expect(command[4] == "<qt><p align=\"left\" style=\"white-space: pre\">\(text)</p></qt>")
        #expect(command[5...] == ["no", "✗ No", "yes", "✓ Yes", "--default", "✗ No"])
    }

    @Test(arguments: [(true, "Delete “&lt;b&gt;&amp;lt;\\\\n_x”?\n\nNow"), (false, "Delete “<b>&lt;\\\\n_x”?\n\nNow")])
    func aNotificationGetsWhatItsServerReads(readsMarkup: Bool, text: String) {
        let command = QuestionTool.notification(readsMarkup: readsMarkup).command("Confirm a", Self.lines)
        #expect(command[0] == "notify-send" && command.suffix(3) == ["--", "Confirm a", text])
        #expect(
            command.contains("--wait") && command.contains("--action=yes=Yes") && command.contains("--action=no=No"))
    }

    static let endings: [(QuestionTool, Int32, String, QuestionTool.Answer?)] = [
        (.zenity, 0, "", .yes), (.zenity, 101, "", .no), (.zenity, 102, "", .no), (.zenity, 1, "", nil),
        (.zenity, 5, "", nil), (.zenity, 255, "", nil),
        (.kdialog, 0, "yes\n", .yes), (.kdialog, 0, "no\n", .no), (.kdialog, 0, "", .no), (.kdialog, 1, "", .no),
        (.kdialog, 1, "yes\n", .no), (.kdialog, 254, "", nil),
        (.notification(readsMarkup: true), 0, "yes\n", .yes), (.notification(readsMarkup: true), 0, "no\n", .no),
        (.notification(readsMarkup: true), 0, "", .no), (.notification(readsMarkup: true), 1, "yes\n", nil),
    ]

    @Test(arguments: endings)
    func nothingButAYesIsAYes(tool: QuestionTool, status: Int32, output: String, answer: QuestionTool.Answer?) {
        #expect(tool.answer(status: status, output: output) == answer)
    }

    @Test func zenityIsToldToSayNoInAnotherWayThanItFails() {
        #expect(QuestionTool.zenity.environment.contains("ZENITY_CANCEL=101"))
        #expect(QuestionTool.zenity.environment.contains("ZENITY_ESC=102"))
        #expect(QuestionTool.kdialog.environment == [])
    }

    static let capabilities = [
        ("as 3 \"actions\" \"body\" \"body-markup\"\n", true, true), ("(['actions', 'body'],)\n", true, false),
        ("as 2 \"body\" \"body-markup\"\n", false, true), ("as 1 \"actions-x\"\n", false, false), ("", false, false),
    ]

    @Test(arguments: capabilities)
    func aServerTellsWhatItCan(text: String, hasButtons: Bool, readsMarkup: Bool) {
        let server = NotificationServer(capabilities: text)
        #expect(server.hasButtons == hasButtons && server.readsMarkup == readsMarkup)
    }
}
