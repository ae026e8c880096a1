import XCallbackBytes
import XCallbackClient
import XCallbackConfiguration
import XCallbackPipeline

/// The files that define the routes of a running daemon.
struct ServedFiles: Sendable {
    /// Their absolute paths; empty if the daemon does not report them.
    let paths: [String]
    /// Whether the daemon serves configured routes and does not report their files.
    let areHidden: Bool

    /// Determines the files of routes.
    ///
    /// - Parameters:
    ///   - routes: The routes of the daemon.
    ///   - process: The daemon's process, whose directory relative paths start from; nil if unknown.
    init(of routes: [Client.Route], process: Int32?) {
        let files = routes.compactMap(\.place).map { place in
            place.split(separator: ":", omittingEmptySubsequences: false).dropLast().joined(separator: ":")
        }
        paths = Set(files).sorted().compactMap { file in
            if file.hasPrefix("/") { return file }
            let path = "/proc/\(process ?? 0)/cwd/\(file)"
            let real = path.realPath
            return real == path ? nil : real
        }
        areHidden = paths.isEmpty && routes.contains { $0.scheme != CallbackRules.answerScheme }
    }

    /// The configuration file that the daemon was started with, if none of its files is at the given locations; nil if unknown.
    func file(besides places: ConfigurationPlaces) -> String? {
        if paths.contains(where: places.contains) { return nil }
        return paths.first { !$0.contains(text: "/\(ConfigurationPlaces.dropInDirectory)/") }
    }
}
