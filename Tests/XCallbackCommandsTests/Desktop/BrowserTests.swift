import Testing
import XCallbackCommands

struct BrowserTests {
    private static func browser(_ command: String) -> Browser? {
        Browser(
            named: "b.desktop", "[Desktop Entry]\nName=B\nName[de]=C\nExec=\(command)\n[Desktop Action new]\nExec=no\n")
    }

    static let commands: [(command: String, words: [String])] = [
        ("firefox %u", ["firefox", "L"]), ("/usr/bin/chromium %U", ["/usr/bin/chromium", "L"]), ("w3m", ["w3m", "L"]),
        ("env A=b firefox -P work %u", ["env", "A=b", "firefox", "-P", "work", "L"]),
        (
            "/usr/bin/flatpak run --branch=stable --command=firefox --file-forwarding org.mozilla.firefox @@u %u @@",
            [
                "/usr/bin/flatpak", "run", "--branch=stable", "--command=firefox", "--file-forwarding",
                "org.mozilla.firefox", "@@u", "L", "@@",
            ]
        ),
        (#""/opt/My Browser/b" --class="a \"b\" \\$c" %u"#, ["/opt/My Browser/b", #"--class=a "b" $c"#, "L"]),
        ("app --url=%u --name %c %i 100%%", ["app", "--url=L", "--name", "B", "100%"]),
        // A link within code could be read as code.
        (#"sh -c "exec firefox %u""#, ["sh", "-c", "exec firefox %u", "L"]),
    ]

    @Test(arguments: commands)
    func theLinkIsOneArgument(command: String, words: [String]) throws {
        let browser = try #require(Self.browser(command))
        #expect(browser.command(opening: "L") == words)
        #expect(browser.command(opening: nil) == words.filter { $0 != "L" }.map { $0 == "--url=L" ? "--url=%u" : $0 })
        #expect(browser.title == "B")
    }

    @Test func anEntryWithoutAProgramIsNoBrowser() {
        #expect(Self.browser("") == nil)
        #expect(Browser(named: "a.desktop", "[Desktop Entry]\nType=Link\n") == nil)
    }
}
