import TestSupport
import Testing
import XCallbackDaemon

struct DaemonOptionsTests {
    static let modes: [([String], DaemonOptions.Mode)] = [
        (["--check"], .check), (["--help"], .help), (["-h"], .help), (["--config", "f", "--check"], .check),
        (["--run"], .run), ([], .serve),
    ]

    @Test(arguments: modes)
    func anOptionChoosesWhatToDo(arguments: [String], mode: DaemonOptions.Mode) throws {
        expect(try DaemonOptions(arguments).mode, equals: mode)
    }

    static let values: [(arguments: [String], configuration: String?, socket: String?)] = [
        ([], nil, nil), (["--config", "a"], "a", nil), (["--config=a"], "a", nil), (["--socket", "b"], nil, "b"),
        (["--socket=b=c", "--config", "a"], "a", "b=c"), (["--config", "a", "--config", "b"], "b", nil),
        (["--config", "--check"], "--check", nil),
    ]

    @Test(arguments: values)
    func aValueFollowsOrStandsBehindAnEqualsSign(
        arguments: [String], configuration: String?, socket: String?
    ) throws {
        let options = try DaemonOptions(arguments)
        #expect(options.configuration == configuration)
        #expect(options.socket == socket)
    }

    static let faults: [([String], String)] = [
        (["--bad"], "unknown argument '--bad'"), (["file"], "unknown argument 'file'"), ([""], "unknown argument ''"),
        (["--check=1"], "unknown argument '--check=1'"), (["-x", "--bad"], "unknown argument '-x'"),
        (["--config"], "option '--config' needs a value"), (["--config="], "option '--config' needs a value"),
        (["--socket", ""], "option '--socket' needs a value"), (["--"], "unknown argument '--'"),
    ]

    @Test(arguments: faults)
    func anArgumentThatIsNotUnderstoodIsNamed(arguments: [String], message: String) throws {
        let fault = try #require(throws: DaemonOptions.Fault.self) { try DaemonOptions(arguments) }
        #expect(fault.description == message)
    }
}
