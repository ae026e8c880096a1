import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// `xcallback setup FOLDER`: an action of somebody else is shown before anything is written.
@Suite(.blocking)
struct FolderSetupTests {
    private static let routes = """
        # Greetings.
        #
        # setup: keeps ~/Greetings
        # setup: needs figlet

        schemes: { greet: { title: Greetings }, https: { syntax: url } }
        routes:
          - { route: greet:/a, public: true, agent: true, exec: [./hello, A] }
          - { route: greet:/b, exec: [sh, -c, echo B] }
          - { route: "https://*link", respond: }

        """
    private static let installed = ".config/xcallbackd/routes.d/greet"

    /// Creates a home with a folder, which nothing installed.
    private static func site(_ routes: String = routes) throws -> SetupSite {
        let site = try SetupSite()
        try site.home.write(routes, to: "clone/greet.yaml")
        try site.install("hello", in: "clone", "#!/bin/sh\necho \"hello $1\"\n")
        try site.home.write("mine", to: "clone/.git/config")
        try site.giveAway()
        return site
    }

    private func setup(_ site: SetupSite, of words: String = "clone", answering answer: String) throws
        -> DesktopSite.Result
    {
        try site.run("sh", "-c", "cd; printf '\(answer)' | script -qec 'xcallback setup ./\(words)' /dev/null")
    }

    private static func hash(_ output: String) throws -> String {
        try String(#require(output.split(separator: "\n").first { $0.hasPrefix("hash ") }).dropFirst(5))
    }

    @Test func everythingIsShownAndNothingIsWritten() throws {
        let site = try Self.site()
        let before = try site.contents()
        let review = try site.setup("\(site.home.path)/clone/")
        #expect(review.status == 64)
        for text in [
            "greet, from \(site.home.path)/clone. Nothing is written yet.\n", "  /a       public ", "agent    line 8",
            "./hello A\n", "sh -c echo B\n", "hello, 26 bytes ", "#!/bin/sh\n", " Greetings\n",
            "greet: no application has it\n", "any web page can run this program without asking you: ", "~/Greetings\n",
            "figlet\n",
            "\nto allow more, add: agent public http\n",
        ] {
            #expect(review.output.contains(text), "\(text) in \(review.output)")
        }
        #expect(!review.output.contains(".git"))
        for (words, text) in [
            (["0000"], "not that of the review; nothing was changed\n"),
            ([try Self.hash(review.output), "allow-code"], "expected agent, public or http, found 'allow-code'"),
        ] {
            let result = try site.run(["xcallback", "setup", "\(site.home.path)/clone", "--yes"] + words)
            #expect(result.status != 0 && result.output.contains(text), "\(result.output)")
        }
        let declined = try setup(site, answering: "v\\nperhaps\\n\\n")
        #expect(declined.output.contains("--- hello"), "\(declined.output)")
        expect(try site.contents(), equals: before)
    }

    static let answers: [(words: [String], isPublic: Bool, agent: Bool, https: Bool)] = [
        ([], false, false, false), (["agent"], false, true, false), (["public", "http"], true, false, true),
    ]

    @Test(arguments: answers, [false, true])
    func onlyWhatTheAnswerNamesIsOn(
        answer: (words: [String], isPublic: Bool, agent: Bool, https: Bool), onTerminal: Bool
    ) throws {
        let site = try Self.site()
        // A browser, to which links of web pages go.
        try site.site.install("other", for: ["https"], script: "")
        try site.giveAway()
        let before = try site.contents()
        let review = try site.setup("\(site.home.path)/clone").output
        let words = answer.words.joined(separator: " ")
        // What it prints is run as it is.
        let command = try #require(review.split(separator: "\n").first { $0.hasPrefix("if you agree: ") }).dropFirst(14)
        let result =
            try onTerminal
            ? setup(site, answering: "yes \(words)\\n") : site.run("sh", "-c", "\(command) \(words)")
        #expect(result.status == 0, "\(result.output)")
        let expected = Self.routes.replacing("public: true", with: "public: \(answer.isPublic)")
            .replacing("agent: true", with: "agent: \(answer.agent)")
        expect(try site.home.text(of: "\(Self.installed)/greet.yaml"), equals: expected)
        expect(try site.home.mode(of: "\(Self.installed)/hello"), equals: 0o755)
        #expect(!site.home.contains("\(Self.installed)/.git"))
        #expect(result.output.contains("registered    https: ") == answer.https, "\(result.output)")
        let again = try site.setup("\(site.home.path)/clone").output
        #expect(again.contains("xcallback opens links of web pages already: ") == answer.https, "\(again)")
        try site.startDaemon()
        expect(try site.run("xcallback", "open", "greet:/a").output, equals: "result=hello A\n")
        expect(try site.run("xcallback", "remove", "greet").status, equals: 0)
        removeDirectory(site.home.path(of: ".local/state"))
        expect(try site.contents(), equals: before)
    }

    @Test func aNeedForCodeNamesTheWord() throws {
        let site = try Self.site(
            "schemes: [greet]\nroutes:\n  - { route: \"greet:/:x\", exec: [sh, -c, \"{x}\"], allow-code: true }\n")
        let before = try site.contents()
        let hash = try Self.hash(site.setup("\(site.home.path)/clone").output)
        let result = try site.setup("\(site.home.path)/clone", "--yes", hash)
        #expect(result.status == 78 && result.output.contains("add 'allow-code' to the answer\n"), "\(result.output)")
        expect(try site.contents(), equals: before)
        expect(try site.setup("\(site.home.path)/clone", "--yes", hash, "allow-code").status, equals: 0)
    }

    @Test func anUpdateUnregistersWhatItHasNoMore() throws {
        func routes(_ schemes: String) -> String {
            "schemes: [\(schemes)]\nroutes:\n  - { route: greet:/a, public: true, exec: [./hello, A] }\n"
        }
        let site = try Self.site(routes("greet, hallo, salve"))
        try site.installServiceManager()
        let entry = ".local/share/applications/org.xcallback.Router.desktop"
        expect(try setup(site, answering: "yes public\\n").status, equals: 0)
        expect(try site.home.text(of: entry)) { $0.contains("x-scheme-handler/hallo;x-scheme-handler/salve;") }
        // Another file has routes of one.
        let own = "schemes: [salve]\nroutes: [{ route: salve:/a, respond: }]\n"
        try site.home.write(own, to: ".config/xcallbackd/routes.d/own.yaml")
        try site.home.write(routes("greet"), to: "clone/greet.yaml")
        try site.giveAway()
        let updated = try setup(site, answering: "yes public\\n")
        #expect(updated.status == 0 && updated.output.contains("unregistered"), "\(updated.output)")
        let text = try site.home.text(of: entry)
        #expect(text.contains("/greet;") && text.contains("/salve;") && !text.contains("/hallo;"), "\(text)")
    }

    @Test func aSecondTimeTheDifferenceIsShown() throws {
        let site = try Self.site("schemes: [greet]\nroutes:\n  - { route: greet:/a, exec: [./hello, A] }\n")
        try site.installServiceManager()
        expect(try setup(site, answering: "yes\\n").status, equals: 0)
        expect(try setup(site, answering: "no\\n").output) { $0.contains("/clone:\r\nnone\r\n") }
        try site.install("hello", in: "clone", "#!/bin/sh\necho \"good day $1\"\n")
        try site.home.write("- { route: greet:/b, respond: }\n", to: "clone/lib/more")
        let tools =
            "mkdir ~/tools; ln -s /usr/bin/* ~/tools; rm ~/tools/diff; PATH=~/tools:$(dirname $(command -v xcallback))"
        let review = try site.run("sh", "-c", "\(tools) xcallback setup ~/clone; rm -r ~/tools").output
        #expect(review.contains(" No diff program: ") && review.contains("\nhash "), "\(review)")
        let finding = "note  greet has changed since it was set up, or '\(site.home.path)/clone' has\n"
        expect(try site.run("xcallback", "doctor").output) { $0.contains(finding) }
        let updated = try setup(site, answering: "yes\\n")
        #expect(updated.status == 0, "\(updated.output)")
        for line in ["/hello", "-echo \"hello $1\"", "+echo \"good day $1\"", "/lib/more"] {
            #expect(updated.output.contains("\(line)\r\n"), "\(line) in \(updated.output)")
        }
        expect(try site.run("xcallback", "open", "greet:/a").output, equals: "result=good day A\n")
        // An update that fails leaves what was there.
        let good = try site.home.text(of: "clone/greet.yaml")
        try site.home.write(
            good.replacing("greet]", with: "greet, own]") + "  - { route: own:/a, respond: }\n", to: "clone/greet.yaml")
        let own = "schemes: [own]\nroutes: [{ route: own:/a, respond: }]\n"
        try site.home.write(own, to: ".config/xcallbackd/routes.d/own.yaml")
        removeDirectory(site.home.path(of: "clone/lib"))
        try site.giveAway()
        expect(try site.run("xcallback", "reload").status, equals: 0)
        let before = try site.contents()
        let failed = try setup(site, answering: "yes\\n")
        #expect(failed.status == 78 && failed.output.contains("all changes were undone"), "\(failed.output)")
        expect(try site.contents(), equals: before)
        try site.home.write(good, to: "clone/greet.yaml")
        expect(try setup(site, answering: "yes\\n").status, equals: 0)
        #expect(!site.home.contains("\(Self.installed)/lib"))
        // What the user has changed stays.
        try site.run("sh", "-c", "echo '# mine' >>~/\(Self.installed)/hello")
        let conflict = try setup(site, answering: "yes\\n")
        #expect(
            conflict.output.contains("you have changed '\(site.home.path)/\(Self.installed)/hello'"),
            "\(conflict.output)")
        for advice in [
            "this is fine; before an update, move it away",
            "'\(site.home.path)/clone' cannot be read: 'xcallback remove greet' removes",
        ] {
            let finding = try site.run("xcallback", "doctor").output
            #expect(finding.contains("      \(advice)") && !finding.contains("xcallback setup /"), "\(finding)")
            removeDirectory(site.home.path(of: "clone"))
        }
        expect(try site.run("xcallback", "remove", "greet").output) { $0.contains("hello: you have changed it\n") }
        expect(try site.run("xcallback", "open", "greet:/a").status, equals: 6)
    }

    /// What a shell script does to a folder, and what the command prints about it; nothing is written.
    static let hostile: [(script: String, output: String)] = [
        ("ln -s /etc/passwd data", "/clone/data': expected a file of your own"),
        ("rm hello; ln -s ../mine hello", "/clone/hello': expected a file of your own"),
        ("ln -s .. up", "/clone/up': expected a file of your own"),
        ("mkdir lib; ln -s / lib/root", "/clone/lib/root': expected a file of your own"),
        ("mkfifo pipe", "/clone/pipe': expected a file of your own"),
        ("ln -s /dev/zero zero", "/clone/zero': expected a file of your own"),
        (
            "python3 -c 'import socket; socket.socket(1).bind(\"s\")'",
            "/clone/s': expected a file of your own"
        ),
        ("touch \"$(printf 'a\\033[2Jb')\"", "/clone/a<U+001B>[2Jb': expected a name of letters of ASCII"),
        ("touch \"$(printf 'a\\342\\200\\256b')\"", "/clone/a<U+202E>b': expected a name"),
        ("touch \"$(printf 'a\\nb')\"", "/clone/a<U+000A>b': expected a name"),
        ("touch \"$(printf '\\377')\"", "': expected a name"),
        ("truncate -s 17M big", "/clone': more than 1000 files, or more than 16 MiB"),
        ("mkdir d; cd d; seq 1 1001 | xargs touch", "/clone': more than 1000 files, or"),
        ("n=d; for i in $(seq 60); do n=d/$n; done; mkdir -p $n; ln -s / $n/l", "/d/l': expected a file of your own"),
        (
            "touch other.yaml; mv greet.yaml a.yaml",
            "/clone': expected one file NAME.yaml with the routes, in UTF-8, found 2"
        ),
        ("printf '\\377' >>greet.yaml", "/clone': expected one file NAME.yaml with the routes, in UTF-8, found 0"),
        ("mv greet.yaml ./-y.yaml", "/clone/-y.yaml': expected a name without '-' at its start"),
        ("mv greet.yaml x.yaml.yaml", "/clone/x.yaml.yaml': expected a name without"),
        ("chmod 0 hello", "/clone/hello': expected a file of your own"),
        // Shown, whatever hides it.
        ("sed -i 's/exec: .sh/env: { LD_PRELOAD: .\\/a.so }, &/' greet.yaml", "LD_PRELOAD=./a.so\n"),
        (
            "(seq 10000 | sed 's/.*/#/'; echo '  - { route: greet:/hidden, exec: [rm, -rf, x] }') >>greet.yaml",
            "  /hidden "
        ),
        ("sed -i 's/title: Greetings/title: Firefox/' greet.yaml", "Firefox\n"),
        ("sed -i 's/echo B/\"echo \\\\e[2J\"/' greet.yaml", "echo <U+001B>[2J\n"),
        ("sed -i 's/agent: true/agent: !!bool true/' greet.yaml", "unknown tag '!!bool'"),
        (
            "mkdir -p ~/.config/xcallbackd/routes.d; touch ~/.config/xcallbackd/routes.d/greet.yaml",
            "routes.d/greet.yaml' has the name greet, too"
        ),
    ]

    @Test(arguments: hostile)
    func aHostileFolderIsRefusedOrShown(folder: (script: String, output: String)) throws {
        let site = try Self.site()
        let script = try site.run("sh", "-c", "cd ~/clone && \(folder.script)")
        #expect(script.status == 0, "\(script.output)")
        let before = try site.contents()
        let result = try site.setup("\(site.home.path)/clone")
        #expect(result.status != 0 && result.output.contains(folder.output), "\(result.output)")
        expect(try site.contents(), equals: before)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func aFileOfAnotherUserIsRefused() throws {
        let site = try Self.site()
        chown(site.home.path(of: "clone/hello"), 1_234, 0)
        let result = try site.setup("\(site.home.path)/clone")
        #expect(
            result.output.contains("/clone/hello': expected a file of your own"), "\(result.output)")
    }

    /// Two accounts and two homes: an action is copied, set up, updated and removed, and nothing of it is left.
    @Test(.enabled(if: geteuid() == 0, "only root can be two users"))
    func anActionMovesToAnotherAccount() throws {
        let (ada, ben) = (try SetupSite(), try SetupSite(user: 65_533))
        expect(try ada.run("xcallback", "init", "notes:/add", "--param", "text").status, equals: 0)
        let action = ".config/xcallbackd/routes.d/notes-add"
        let before = try ben.contents()
        let copy = "/tmp/\(ada.home.path.dropFirst(5))-copy"
        defer { removeDirectory(copy) }
        func give() throws {
            try ada.run("sh", "-c", "cp -RT ~/\(action) \(copy); chmod -R a+rX \(copy)")
            try ben.run("sh", "-c", "cp -RT \(copy) ~/given")
        }
        func setup() throws -> DesktopSite.Result {
            let hash = try Self.hash(ben.setup("\(ben.home.path)/given").output)
            return try ben.setup("\(ben.home.path)/given", "--yes", hash)
        }
        try give()
        let made = try setup()
        #expect(made.status == 0, "\(made.output)")
        let daemon = try ben.startDaemon()
        let answer = "result=Add:\n    text is Hello\n"
        expect(try ben.run("xcallback", "open", "notes:/add?text=Hello").output, equals: answer)
        for name in ["notes-add", "notes:/add"] {
            let edit = try ben.run("xcallback", "edit", name, environment: ["EDITOR=echo"])
            #expect(edit.output.hasPrefix("\(ben.home.path)/\(action)/notes-add.yaml\n"), "\(edit.output)")
        }
        // The author changes it.
        try ada.run("sed", "-i", "s/Add:/More:/", "\(ada.home.path)/\(action)/notes-add")
        try give()
        expect(try setup().status, equals: 0)
        expect(try ben.run("xcallback", "open", "notes:/add?text=Hello").output) { $0.hasPrefix("result=More:\n") }
        let removed = try ben.run("xcallback", "remove", "notes-add")
        #expect(removed.status == 0 && removed.output.hasSuffix("notes-add is removed.\n"), "\(removed.output)")
        daemon.send(signal: SIGTERM)
        expect(try daemon.wait(), equals: 0)
        removeDirectory(ben.home.path(of: ".local/state"))
        removeDirectory(ben.home.path(of: "given"))
        expect(try ben.contents(), equals: before)
    }

    /// What the page on backups says: the folder of the configuration is all that another account needs.
    @Test(.enabled(if: geteuid() == 0, "only root can be two users"))
    func allActionsMoveWithOneFolder() throws {
        let (ada, ben) = (try SetupSite(), try SetupSite(user: 65_533))
        expect(try ada.run("xcallback", "init", "my:/first").status, equals: 0)
        expect(try ada.setup("notes", "--yes").status, equals: 0)
        let commands = DocumentExample.all(in: "sh", of: "Docs/HowTo/ShareActions.md").map(\.text)
        let pack = try #require(commands.first { $0.contains("tar c") })
        let move = try #require(commands.first { $0.contains("tar x") })
        // Others keep their configuration elsewhere, and link to it.
        try ada.run(
            "sh", "-ec", "cd; mkdir dots; mv .config/xcallbackd dots; ln -s ../dots/xcallbackd .config; \(pack)")
        try ChildProcess.run(["/bin/cp", ada.home.path(of: "actions.tar.gz"), ben.home.path])
        try ben.installServiceManager()
        defer { _ = try? ben.run("systemctl", "--user", "stop", "xcallbackd.socket") }
        let moved = try ben.run("sh", "-ec", "cd; \(move)")
        let isValid = moved.output.contains("valid: 3 routes for my, notes in 3 files\n")
        #expect(moved.status == 0 && isValid, "\(moved.output)")
        expect(try ben.run("xcallback", "open", "my:/first").output, equals: "result=First:\n")
        // Switched off for an hour.
        let file = ben.home.path(of: ".config/xcallbackd/routes.d/my-first/my-first.yaml")
        try ben.run("sed", "-i", "s,^  - route: my:/first,&\\n    enabled: false,", file)
        expect(try ben.run("xcallback", "reload").status, equals: 0)
        expect(try ben.run("xcallback", "open", "my:/first").status, equals: 6)
        expect(try ben.run("xcallback", "open", "notes:/read/none").status, equals: 1)
    }

    @Test func ofAFolderOfSeveralTheNamedActionsAreSetUp() throws {
        let site = try Self.site()
        for name in ["one", "three", "two"] {
            let routes = "schemes: [\(name)]\nroutes: [{ route: \(name):/a, public: true, respond: }]\n"
            try site.home.write(routes, to: "all/\(name)/\(name).yaml")
        }
        try site.giveAway()
        let before = try site.contents()
        let advice = "\nname its actions: xcallback setup \(site.home.path)/all one three two\n"
        expect(try site.setup("\(site.home.path)/all").output) { $0.contains(advice) }
        for (answers, status) in [("yes\\nno\\n", Int32(3)), ("yes\\nyes public\\n", 0)] {
            expect(try site.contents(), equals: before)
            expect(try setup(site, of: "all one two", answering: answers).status, equals: status)
        }
        for (name, isPublic) in [("one", false), ("two", true)] {
            let text = try site.home.text(of: ".config/xcallbackd/routes.d/\(name)/\(name).yaml")
            #expect(text.contains("public: \(isPublic)"), "\(text)")
        }
        #expect(!site.home.contains(".config/xcallbackd/routes.d/three"))
    }

    @Test func aFolderIsUpdatedWhateverTheFormOfItsPath() throws {
        let site = try Self.site("schemes: [greet]\nroutes:\n  - { route: greet:/a, exec: [./hello, A] }\n")
        try site.installServiceManager()
        let command = "XDG_CONFIG_HOME=~/.config// script -qec 'xcallback setup ./clone' /dev/null"
        for text in ["hello", "good day"] {
            try site.install("hello", in: "clone", "#!/bin/sh\necho \(text)\n")
            let result = try site.run("sh", "-c", "cd; echo yes | \(command)")
            #expect(result.status == 0, "\(result.output)")
        }
        expect(try site.run("xcallback", "open", "greet:/a").output, equals: "result=good day\n")
    }

    /// A program that changes while the review is read: what was shown is written.
    @Test func whatWasShownIsWritten() throws {
        let site = try Self.site()
        let result = try site.run(
            "sh", "-c",
            """
            cd; (sleep 4; echo 'evil' >clone/hello; echo v; sleep 1; echo yes) | script -qec 'xcallback setup ./clone' /dev/null
            """)
        #expect(result.status == 0 && !result.output.contains("evil"), "\(result.output)")
        expect(try site.home.text(of: "\(Self.installed)/hello"), equals: "#!/bin/sh\necho \"hello $1\"\n")
    }

    @Test func whatTheUserChangesMeanwhileStays() throws {
        let site = try Self.site()
        expect(try setup(site, answering: "yes\\n").status, equals: 0)
        let result = try site.run(
            "sh", "-c",
            """
            cd; (sleep 1; echo mine >\(Self.installed)/hello; echo yes) | script -qec 'xcallback setup ./clone' /dev/null
            """)
        #expect(result.output.contains("you have changed '\(site.home.path)/"), "\(result.output)")
        expect(try site.home.text(of: "\(Self.installed)/hello"), equals: "mine\n")
    }

    /// The record of many long names is larger than other files that are read.
    @Test(arguments: [5, 16])
    func aFolderOfManyLongNamesIsRemoved(depth: Int) throws {
        let site = try Self.site("schemes: [greet]\nroutes:\n  - { route: greet:/a, exec: [./hello, A] }\n")
        let name = String(repeating: "n", count: 252)
        let folder = Array(repeating: name, count: depth).joined(separator: "/")
        // The installed path of the second one is too long: what was written is taken back.
        let (isShort, prefix) = (depth == 5, depth == 5 ? name : "n")
        try site.run(
            "sh", "-c", "mkdir -p ~/clone/\(folder); cd ~/clone/\(folder); seq -f '\(prefix)%g' 900 | xargs touch")
        let before = try site.contents()
        let hash = try Self.hash(site.setup("\(site.home.path)/clone").output)
        let made = try site.setup("\(site.home.path)/clone", "--yes", hash)
        #expect((made.status == 0) == isShort, "\(made.output)")
        let removed = try site.run("xcallback", "remove", "greet")
        #expect((removed.status == 0) == isShort, "\(removed.output)")
        #expect(!site.home.contains(".config/xcallbackd"))
        removeDirectory(site.home.path(of: ".local/state"))
        expect(try site.contents(), equals: before)
    }

    @Test func theLastActionWithASchemeTakesItBack() throws {
        let site = try Self.site("schemes: [greet]\nroutes:\n  - { route: \"greet:/a\", exec: [./hello, A] }\n")
        try site.run("sh", "-c", "cd; mkdir two; sed s,:/a,:/b, clone/greet.yaml >two/two.yaml; cp clone/hello two")
        for name in ["clone", "two"] {
            let hash = try Self.hash(site.setup("\(site.home.path)/\(name)").output)
            expect(try site.setup("\(site.home.path)/\(name)", "--yes", hash).status, equals: 0)
        }
        for (name, isLast) in [("greet", false), ("two", true)] {
            let output = try site.run("xcallback", "remove", name).output
            #expect(output.contains("unregistered  greet") == isLast, "\(output)")
        }
    }
}
