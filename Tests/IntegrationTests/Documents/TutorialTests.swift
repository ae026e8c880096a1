import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// The tutorials that need only a shell and the two programs, verbatim.
@Suite(.blocking)
struct TutorialTests {
    /// The steps of a page: its commands, the files that it has the reader write, and the links that they click.
    private struct Session {
        var script = ""
        /// What the commands print, in order.
        var outputs: [String] = []

        init(_ page: String) throws {
            let parts = try textOfPackageFile(page).split(separator: "\n```", omittingEmptySubsequences: false)
            // Text and blocks alternate; the text before a block ends with the name of its file.
            for (before, block) in zip(parts, parts.dropFirst()) {
                guard let end = block.firstIndex(of: "\n"), end != block.startIndex else { continue }
                let content = block[block.index(after: end)...]
                switch block[..<end] {
                case "sh": script += "\(content)\n"
                case "text": outputs.append("\(content)\n")
                // The editor writes it.
                case "yaml": break
                case "html":
                    let link = try #require(content.split(separator: "\"").dropFirst().first)
                    script += "xcallback handle -- '\(link)'\n"
                default:
                    let words = try #require(before.firstMatch(of: /Write this to `([^`]+)`:\s*$/), "\(block)")
                    script += "cat >\(words.1) <<'BLOCK'\n\(content)\nBLOCK\n"
                }
            }
        }
    }

    @Test func anActionOfYourOwnDoesWhatIsShown() throws {
        let page = "Docs/Tutorials/YourOwnAction.md"
        let session = try Session(page)
        let site = try SetupSite(session: ["WAYLAND_DISPLAY=display"])
        let display = try SocketServer(site.home.path(of: "run/display")) { _ in }
        // A yes counts once the question was visible long enough.
        try site.install("zenity", in: "bin", "#!/bin/sh\nexec sleep 3\n")
        try site.home.write(#require(DocumentExample.all(in: "yaml", of: page).first).text, to: "shown.yaml")
        let editor = "#!/bin/sh\nfor file; do :; done\ncat \"$HOME/shown.yaml\" >\"$file\"\n"
        try site.install("editor", in: "bin", editor)
        try site.installServiceManager()
        let result = try site.run("bash", "-ec", session.script, environment: ["EDITOR=editor"])
        #expect(result.status == 0, "\(result.output)")
        var rest = result.output[...]
        for output in session.outputs {
            let range = try #require(rest.firstRange(of: output), "\(output): \(result.output)")
            rest = rest[range.upperBound...]
        }
        #expect(session.outputs.count == 3)
        expect(try site.home.text(of: "shopping.txt"), equals: "Milk & honey\nBread\nEggs\n")
        try site.run("systemctl", "--user", "disable", "--now", "xcallbackd.socket")
        withExtendedLifetime(display) {}
    }
}
