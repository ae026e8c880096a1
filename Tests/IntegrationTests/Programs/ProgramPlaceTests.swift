import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackTesting

/// Where a configuration finds its programs, where they run, and their environment.
@Suite(.blocking)
struct ProgramPlaceTests {
    /// A folder with a configuration and a drop-in, and programs in several places.
    private final class Site {
        let directory: TemporaryDirectory

        init(_ configuration: String, dropIn: String = "") throws {
            directory = try TemporaryDirectory()
            try directory.write(configuration, to: "home/config/config.yaml")
            try directory.write(dropIn, to: "home/config/routes.d/more.yaml")
            let script = "#!/bin/sh\necho \"$0 $PWD $*\"\n"
            for name in ["config/here", "config/scripts/below", "config/routes.d/scripts/drop", "bin/home", "up"] {
                chmod(try directory.write(script, to: "home/\(name)"), 0o755)
            }
        }

        /// The home, from the point of view of its processes.
        var home: String { directory.path(of: "home") }

        /// Starts the daemon in a folder other than that of its configuration.
        func start(_ environment: [String] = []) throws -> RunningDaemon {
            let daemon = try RunningDaemon(
                starting: "schemes: [unused]", arguments: ["--config", "home/config/config.yaml"],
                environment: ["HOME=\(home)"] + environment, preparation: "cd '\(directory.path)'")
            try daemon.waitUntilReady()
            return daemon
        }

        /// Returns the output and status of `xcallbackd --check`.
        func check(_ environment: [String]) throws -> (status: Int32, output: String) {
            try ChildProcess.run(
                ["/usr/bin/env"] + environment + [
                    RunningDaemon.program("xcallbackd"), "--check", "--config", "\(home)/config/config.yaml",
                ])
        }
    }

    private static let configuration = """
        schemes: [run]
        routes:
          - { route: run:/here, exec: [./here, a] }
          - { route: run:/below, exec: [scripts/below], cwd: / }
          - { route: run:/up, exec: [../up], cwd: scripts }
          - { route: run:/home, exec: [~/bin/home], cwd: "~" }
          - { route: run:/name, exec: [sh, -c, 'echo "$PWD"'], cwd: . }
          - { route: run:/policy, policies: [{ exec: [scripts/below] }, { confirm: [./here] }], respond: { ok: yes } }
          - { route: run:/middleware, middleware: [{ exec: [scripts/quiet] }], respond: { ok: yes } }
        """

    /// Without the prefix of its menus, a tool of KDE forgets the applications.
    @Test func aProgramKnowsTheDesktopAndNothingElse() throws {
        let daemon = try RunningDaemon(
            #"{ schemes: [run], routes: [{ route: run:/a, exec: [sh, -c, "echo $XDG_MENU_PREFIX$OTHER"] }] }"#,
            environment: ["XDG_MENU_PREFIX=plasma-", "OTHER=x"])
        expect(try daemon.connect().ask("run:/a"), equals: "xcallback://x-callback-url/success?result=plasma-")
    }

    @Test func programsAndFoldersAreFoundFromTheFileThatNamesThem() throws {
        let site = try Site(
            Self.configuration, dropIn: "routes: [{ route: run:/drop, exec: [./scripts/drop], cwd: .. }]")
        chmod(try site.directory.write("#!/bin/sh\n", to: "home/config/scripts/quiet"), 0o755)
        let daemon = try site.start()
        let client = try daemon.connect()
        let (config, own) = ("\(site.home)/config", site.directory.path)
        for (path, text) in [
            ("here", "\(config)/here \(own) a"), ("below", "\(config)/scripts/below / "),
            ("up", "\(config)/../up \(config)/scripts "), ("home", "\(site.home)/bin/home \(site.home) "),
            ("name", config), ("drop", "\(config)/routes.d/scripts/drop \(config) "),
        ] {
            let answer = try ActionURL(#require(try client.ask("run:/\(path)")))
            #expect(answer.items["result"] == text, "\(path)")
        }
        for path in ["policy", "middleware"] {
            let answer = try client.ask("run:/\(path)")
            #expect(answer == "xcallback://x-callback-url/success?ok=yes")
        }
    }

    @Test func withoutTheVariableTheHomeIsThatOfTheUserDatabase() throws {
        let site = try Site("schemes: [run]\nroutes: [{ route: /a, exec: [~/no-such-program-at-home] }]")
        let home = String(cString: getpwuid(geteuid()).pointee.pw_dir)
        for environment in [["-u", "HOME"], ["HOME="], ["HOME=relative"]] {
            let (status, text) = try site.check(environment)
            #expect(status == 0 && text.contains("'\(home)/no-such-program-at-home' does not exist"), "\(text)")
        }
    }

    @Test func aRouteSetsVariablesOfItsProgram() throws {
        let site = try Site(
            """
            schemes: [run]
            routes:
              - route: run:/a/:name
                input: { n: { type: int, default: 7 } }
                exec: [env]
                env: { EDITOR: vi -e, TITLE: "{name}/{n}", LANG: C.UTF-8, PATH: /usr/bin, DISPLAY: ":7", dash: "{name}" }
                output: lines
              - { route: run:/paths/:name, exec: ["true"], env: { FILE: "/srv/{name}" } }
              - route: run:/code
                exec: [sh, -c, 'printf "%s" "$TITLE"']
                env: { TITLE: "{@action}?{@query}" }
            """)
        let daemon = try site.start(["LANG=de_DE.UTF-8", "DISPLAY=:0"])
        let client = try daemon.connect()
        let answer = try #require(try client.ask("run:/a/-x%20y"))
        let items = Set(answer.split(separator: "?")[1].split(separator: "&").map(String.init))
        let expected = [
            "EDITOR=vi%20-e", "TITLE=-x%20y%2F7", "LANG=C.UTF-8", "PATH=%2Fusr%2Fbin", "DISPLAY=%3A7", "dash=-x%20y",
        ]
        #expect(items.isSuperset(of: expected), "\(answer)")
        for name in ["LANG=", "PATH=", "DISPLAY="] { #expect(items.count { $0.hasPrefix(name) } == 1, "\(answer)") }
        expect(try client.ask("run:/paths/a")) { $0?.hasPrefix(failure(422)) == false }
        expect(try client.ask("run:/paths/..")) { $0?.hasPrefix(failure(400)) == true }
        expect(try client.ask("run:/paths/a%2F..")) { $0?.hasPrefix(failure(422)) == true }
        let code = try client.ask("run:/code?a=1&x-b=2")
        #expect(code == result("%2Fcode%3Fa%3D1"))
    }

    @Test(arguments: ["~/secret", "secret", "./secret", "HOME/secret"])
    func aSecretIsFoundAsAProgramIs(path: String) throws {
        let site = try Site("")
        for folder in ["home", "home/config"] {
            chmod(try site.directory.write("s3cret\n", to: "\(folder)/secret"), 0o600)
        }
        try site.directory.write(
            """
            schemes: [run]
            policies: [{ token: { file: \(path.replacing("HOME", with: site.home)) } }]
            routes: [{ route: run:/a, respond: { ok: yes } }]
            """, to: "home/config/config.yaml")
        let (status, text) = try site.check(["HOME=\(site.home)"])
        #expect(status == 0, "\(text)")
    }
}
