import Glibc
import TestSupport
import Testing
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackTesting

/// Starts with twenty files, of which some have faults.
struct FaultyFileTests {
    /// What can be wrong with a file; the text is that of a sound one.
    enum Damage: CaseIterable {
        case fault, scheme, tab, mark, half, folder, owner, definition, address, misspelled, twice

        func apply(to file: String, _ text: String, in directory: TemporaryDirectory) throws {
            switch self {
            case .fault: try directory.write(text + "rout: 7\n", to: file)
            case .scheme: try directory.write(text.replacing("route: s", with: "route: t"), to: file)
            case .tab: try directory.write(text + "\tx: 7\n", to: file)
            case .mark: try directory.write(text + "\u{FEFF}x: 7\n", to: file)
            case .half: try directory.write(String(text.prefix(text.count / 2)), to: file)
            case .folder:
                unlink(directory.path(of: file))
                try directory.write("", to: "\(file)/a")
            case .owner:
                try directory.write(text, to: file)
                chmod(directory.path(of: file), 0o666)
            case .definition: try directory.write(text.replacing("policies: [", with: "policies: [none, "), to: file)
            case .address: try directory.write(text.replacing("route: s", with: "rote: s"), to: file)
            case .misspelled: try directory.write(text.replacing("routes:", with: "rotues:"), to: file)
            case .twice: try directory.write("routes: []\n" + text, to: file)
            }
        }
    }

    private static let numbers = 1...20

    private static func name(_ number: Int) -> String { "routes.d/\(number).yaml" }

    /// A file with a strict route; every fourth defines the policy of the next one.
    private static func text(_ number: Int) -> String {
        var text = "schemes: [s\(number)]\n"
        if number % 4 == 0 { text += "define: { policies: { p\(number): { require: key } } }\n" }
        let policy = number % 4 == 1 && number > 4 ? "p\(number - 1)" : "{ require: key }"
        return text + "routes:\n  - { route: s\(number):/a/b, policies: [\(policy)], respond: { by: '\(number)' } }\n"
    }

    /// A folder with sound files, and a file with a broader route for each of their schemes.
    private static func site() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try directory.write("schemes: [main]\nroutes: [{ route: main:/a, respond: }]\n", to: "config.yaml")
        let broad = numbers.map { "  - { route: 's\($0):/*any', respond: { by: broad } }\n" }
        try directory.write("routes:\n\(broad.joined())", to: "routes.d/broad.yaml")
        for number in numbers { try directory.write(text(number), to: name(number)) }
        return directory
    }

    private static func start(
        in directory: TemporaryDirectory, _ known: [String: DropInNames] = [:]
    ) throws -> RouterConfiguration {
        let options = LoadOptions(ownership: .rootOrUser(geteuid()), logger: .silent, purpose: .serving)
        return try .starting(in: ConfigurationPlaces(file: directory.path(of: "config.yaml")), options, known)
    }

    /// The answers to URLs of all schemes.
    private static func answers(of configuration: RouterConfiguration) throws -> [String: String] {
        var router = Configured(configuration)
        var answers = ["main:/a": try router.result(of: "main:/a")]
        for url in numbers.flatMap({ ["s\($0):/a/b", "s\($0):/a/b?key=1", "s\($0):/a"] }) {
            answers[url] = try router.result(of: url)
        }
        return answers
    }

    @Test(arguments: Damage.allCases)
    func aFileWithAFaultTakesOutOnlyItsSchemes(damage: Damage) throws {
        let directory = try Self.site()
        let sound = try Self.start(in: directory)
        let before = try Self.answers(of: sound)
        #expect(before["s5:/a/b?key=1"] == "by=5" && before["s5:/a"] == "by=broad" && sound.unserved == nil)
        #expect(before["s5:/a/b"]?.hasPrefix("403 Policy 'require'") == true)
        for number in Self.numbers {
            try damage.apply(to: Self.name(number), Self.text(number), in: directory)
            let started = try Self.start(in: directory, sound.names)
            // The file of the next number may use a definition.
            let lost = number % 4 == 0 && number < 20 ? [number, number + 1] : [number]
            let summary = started.unserved?.summary ?? ""
            #expect(
                summary.hasPrefix("\(lost.count) of 22 files not served: \(directory.path)"),
                "\(summary)")
            for (url, answer) in try Self.answers(of: started) {
                let isLost = lost.contains { url.hasPrefix("s\($0):") }
                #expect(
                    isLost ? answer.hasPrefix("503 ") : answer == before[url], "\(number) \(damage) \(url) \(answer)")
            }
            #expect(started.names == sound.names)
            if damage == .folder { removeDirectory(directory.path(of: Self.name(number))) }
            try directory.write(Self.text(number), to: Self.name(number))
            chmod(directory.path(of: Self.name(number)), 0o644)
        }
    }

    @Test(arguments: [
        (Damage.tab, false), (.mark, false), (.folder, false), (.address, false), (.misspelled, false), (.twice, false),
        (.fault, true), (.scheme, true), (.owner, true), (.definition, true),
    ])
    func aFileThatWasNeverServedMustNameItsSchemes(damage: Damage, isServed: Bool) throws {
        let directory = try Self.site()
        try damage.apply(to: Self.name(1), Self.text(1), in: directory)
        if isServed {
            let answers = try Self.answers(of: Self.start(in: directory))
            #expect(answers["s1:/a"]?.hasPrefix("503 ") == true && answers["s2:/a"] == "by=broad")
        } else {
            #expect(throws: ConfigurationError.self) { try Self.start(in: directory) }
        }
    }

    /// Not all URLs of such a file are known, so no broader route may answer them.
    @Test(arguments: [
        "{ route: aa:/del, route: bb:/del, respond: }",
        "{ route: aa:/x, respond: , routes: [{ route: bb:/del, respond: }] }",
        "{ group: { scheme: aa, scheme: bb, routes: [{ route: /del, respond: }] } }",
        "{ group: { sheme: bb, routes: [{ route: /del, respond: }] } }",
        "{ group: { scheme: [aa, bb], routes: [{ route: /del, respond: }] } }",
    ])
    func noBroaderRouteAnswersForOneThatIsNotRead(item: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write("schemes: [bb]\nroutes: [{ route: 'bb:/*any', respond: }]\n", to: "config.yaml")
        try directory.write("schemes: [aa]\nroutes: [\(item)]\n", to: Self.name(1))
        #expect(throws: ConfigurationError.self) { try Self.start(in: directory) }
    }

    /// What a directory lists of such a name names no file.
    @Test func aNameThatIsNotUTF8IsAFault() throws {
        let directory = try TemporaryDirectory()
        try directory.write("schemes: [bb]\nroutes: [{ route: 'bb:/*any', respond: }]\n", to: "config.yaml")
        try directory.write("schemes: [aa]\nroutes: [{ route: aa:/a, respond: }]\n", to: Self.name(1))
        let name = Array(directory.path(of: "routes.d/caf").utf8CString.dropLast()) + [-23] + Array(".yaml".utf8CString)
        defer { unlink(name) }
        #expect(rename(directory.path(of: Self.name(1)), name) == 0)
        let error = #expect(throws: ConfigurationError.self) { try Self.start(in: directory) }
        #expect(error?.mayPass == false && error?.faults.first?.message.contains("is not UTF-8: rename it") == true)
    }

    @Test func filesThatContradictEachOtherAreBothNotServed() throws {
        let directory = try Self.site()
        try directory.write(Self.text(3), to: "routes.d/other.yaml")
        let started = try Self.start(in: directory)
        #expect(started.unserved?.summary.hasPrefix("2 of 23 files not served") == true)
        let answers = try Self.answers(of: started)
        #expect(answers["s3:/a"]?.hasPrefix("503 ") == true && answers["s4:/a"] == "by=broad")
    }

    @Test func aDefinitionOfAFileWithFaultsIsNotReplaced() throws {
        let directory = try Self.site()
        let sound = try Self.start(in: directory)
        try directory.write(Self.text(4) + "\t", to: Self.name(4))
        // Sound by itself, and laxer than what the routes of the fifth file had.
        try directory.write("define: { policies: { p4: { source: a } } }\n", to: "routes.d/lax.yaml")
        let started = try Self.start(in: directory, sound.names)
        #expect(started.unserved?.summary.hasPrefix("2 of 23 files not served") == true)
        #expect(try Self.answers(of: started)["s5:/a/b"]?.hasPrefix("503 ") == true)
        let text = started.unserved.map { "\($0.error)" } ?? ""
        #expect(
            text.contains("policy 'p4' is defined in '\(directory.path(of: Self.name(4)))', which has faults"),
            "\(text)")
    }

    @Test func aRedirectToASchemeThatIsNotServedIsRefused() throws {
        let directory = try Self.site()
        try directory.write("routes: [{ route: main:/to, redirect: s1:/a/b?key=1 }]\n", to: "routes.d/to.yaml")
        let sound = try Self.start(in: directory)
        try directory.write(Self.text(1) + "rout: 7\n", to: Self.name(1))
        var router = Configured(try Self.start(in: directory, sound.names))
        expect(try router.result(of: "main:/to")) { $0.hasPrefix("503 ") }
    }

    @Test(arguments: [
        "schemes: [main]\nrout: 7\n", "schemes: [main]\n\t", "schemes: [main]\npolicies: [p4]\n",
    ])
    func aFaultInTheMainFileIsOneForAll(text: String) throws {
        let directory = try Self.site()
        let sound = try Self.start(in: directory)
        try directory.write(text, to: "config.yaml")
        try directory.write(Self.text(4) + "rout: 7\n", to: Self.name(4))
        #expect(throws: ConfigurationError.self) { try Self.start(in: directory, sound.names) }
    }
}
