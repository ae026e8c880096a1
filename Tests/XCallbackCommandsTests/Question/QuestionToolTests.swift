import Testing
import XCallbackCommands

/// What tools get of a question, and what their ends mean.
struct QuestionToolTests {
    private static let lines = ["Delete “<b>&lt;\\n_x”?", "", "Now"]

    @Test func kdialogGetsHTMLThatShowsTheText() {
        let command = QuestionTool.kdialog.command("Confirm a", Self.lines)
        #expect(
            command.starts(with: ["kdialog", "--desktopfile", "org.xcallback.Router", "--title", "Confirm a", "--menu"])
        )
        let text = "Delete “&lt;b&gt;&amp;lt;&#92;n_x”?\n\nNow"
        #expect(command[6] == "<qt><p align=\"left\" style=\"white-space: pre\">\(text)</p></qt>")
        #expect(command[7...] == ["no", "✗ No", "yes", "✓ Yes", "--default", "✗ No"])
    }

    @Test(arguments: [(true, "Delete “&lt;b&gt;&amp;lt;\\\\n_x”?\n\nNow"), (false, "Delete “<b>&lt;\\\\n_x”?\n\nNow")])
    func aNotificationGetsWhatItsServerReads(readsMarkup: Bool, text: String) {
        let command = QuestionTool.notification(readsMarkup: readsMarkup).command("Confirm a", Self.lines)
        #expect(command.starts(with: ["setsid", "setpriv", "--pdeathsig=INT", "notify-send"]))
        #expect(command.suffix(3) == ["--", "Confirm a", text])
        #expect(
            command.contains("--app-name=xcallback") && command.contains("--print-id"))
        #expect(
            command.contains("--wait") && command.contains("--action=yes=Yes") && command.contains("--action=no=No"))
    }

    static let endings: [(tool: QuestionTool, status: Int32, output: String, answer: Bool?)] = [
        (.zenity, 0, "", true), (.zenity, 101, "", false), (.zenity, 102, "", false), (.zenity, 1, "", nil),
        (.zenity, 5, "", nil), (.zenity, 255, "", nil),
        (.kdialog, 0, "yes\n", true), (.kdialog, 0, "no\n", false), (.kdialog, 0, "", false),
        (.kdialog, 1, "", false), (.kdialog, 1, "yes\n", false), (.kdialog, 254, "", nil),
        (.notification(readsMarkup: true), 0, "12\nyes\n", true),
        (.notification(readsMarkup: true), 0, "12\nno\n", false), (.notification(readsMarkup: true), 0, "", false),
        (.notification(readsMarkup: true), 0, "12\n", false), (.notification(readsMarkup: true), 1, "1\nyes\n", nil),
        (.notification(readsMarkup: true), 0, "0\n", nil),
    ]

    @Test(arguments: endings)
    func nothingButAYesIsAYes(tool: QuestionTool, status: Int32, output: String, answer: Bool?) {
        #expect(tool.answer(status: status, output: output) == answer)
    }

    /// Not every version of zenity distinguishes OK from Escape here, so both lead to the question.
    @Test func goingOnFromATextIsNoAnswer() {
        #expect(QuestionTool.zenity.textCommand("A").starts(with: ["zenity", "--text-info", "--title=A"]))
        #expect(QuestionTool.kdialog.textCommand("A").starts(with: ["kdialog", "--title", "A", "--textbox", "-"]))
        // Qt would hide the rest of the line.
        let hiding = [": '<b><!--';curl example.org", "", "a &lt; b"]
        #expect(QuestionTool.zenity.textInput(hiding) == hiding.joined(separator: "\n"))
        let shown = QuestionTool.kdialog.textInput(hiding).split(separator: "\n")
        #expect(shown.count == 3 && shown.allSatisfy { $0.hasPrefix("<qt><p style=\"white-space: pre-wrap\">") })
        #expect(shown[0].contains(": '&lt;b&gt;&lt;!--';curl example.org</p>") && shown[2].contains("a &amp;lt; b"))
        let statuses: [Int32] = [0, 101, 102, 1, 255]
        #expect(statuses.map { QuestionTool.zenity.isRead(status: $0) } == [true, false, true, nil, nil])
        #expect(statuses.map { QuestionTool.kdialog.isRead(status: $0) } == [true, nil, nil, true, nil])
    }

    static let outputs: [(output: String, isRefused: Bool)] = [
        ("GDBus.Error:org.freedesktop.Notifications.Error.ExcessNotificationGeneration: Too many\n", true),
        ("GDBus.Error:a: b\n0\n", true), ("0\n", true), ("", false), ("10\n", false), ("10\nyes\n", false),
        ("\n(notify-send:7): GLib-WARNING **: GDBus.Error:a: b\n10\n", false),
    ]

    @Test(arguments: outputs)
    func aServerMayRefuseANotification(output: String, isRefused: Bool) {
        #expect(QuestionTool.notification(readsMarkup: true).isRefused(output) == isRefused)
        #expect(!QuestionTool.zenity.isRefused(output) && !QuestionTool.kdialog.isRefused(output))
    }

    static let servers = [
        (
            #"ssss "gnome-shell" "GNOME" "48.7" "1.2""#, #"as 3 "actions" "body" "body-markup""#,
            QuestionTool.notification(readsMarkup: true)
        ),
        ("('Plasma', 'KDE', '6.3.6', '1.2')", "(['actions', 'body'],)", .notification(readsMarkup: false)),
        (#"ssss "a" "b" "1" "1.2""#, #"as 2 "body" "body-markup""#, nil),
        (#"ssss "a" "b" "1" "1.2""#, #"as 1 "actions-x""#, nil), ("", "", nil),
        (#"ssss "mako" "emersion" "1.10" "1.2""#, #"as 2 "actions" "body""#, nil),
        ("('dunst', 'knopwob', '1.12', '1.2')", "(['actions', 'body'],)", nil),
    ]

    @Test(arguments: servers)
    func aServerIsUsedIfItShowsButtons(server: String, capabilities: String, tool: QuestionTool?) {
        #expect(QuestionTool(server: server, capabilities: capabilities) == tool)
    }
}
