import Logging
import Testing
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackTesting

/// What `~` means where the system's daemon reads a configuration.
struct NamedPathTests {
    @Test(arguments: ["exec: [~/notes]", "exec: ['true']\n  cwd: '~'"])
    func theSystemsDaemonHasNoHome(keys: String) throws {
        let directory = try TemporaryDirectory()
        let text = "schemes: [notes]\nroutes:\n- route: /a\n  \(keys)\n"
        try directory.write(text, to: "etc/xcallbackd/config.yaml")
        let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
        func load(_ places: ConfigurationPlaces) throws(ConfigurationError) {
            _ = try RouterConfiguration(in: places, LoadOptions(ownership: .any, logger: logger))
        }
        let error = #expect(throws: ConfigurationError.self) {
            try load(ConfigurationPlaces(ofSystemBelow: directory.path))
        }
        let message =
            "the system's daemon has no home: expected an absolute path, or a path relative to the folder of this file"
        #expect(error?.faults.map(\.message) == [message])
        try load(ConfigurationPlaces(file: directory.path(of: "etc/xcallbackd/config.yaml")))
    }
}
