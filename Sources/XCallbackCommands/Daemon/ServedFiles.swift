import XCallbackBytes
import XCallbackClient
import XCallbackConfiguration
import XCallbackPipeline

/// The files in which the routes of a running daemon stand.
struct ServedFiles: Sendable {
    /// Their paths, from `/` on; empty if the daemon does not tell them.
    let paths: [String]
    /// Whether the daemon serves routes of a configuration and does not tell its files.
    let areHidden: Bool

    /// Finds the files of routes.
    ///
    /// - Parameters:
    ///   - routes: The routes that the daemon serves.
    ///   - process: The daemon's process, where relative paths begin; nil if it is not known.
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

    /// The configuration file that the daemon was started with, if none of its files is at some places; nil if it cannot
    /// be told.
    func file(besides places: ConfigurationPlaces) -> String? {
        if paths.contains(where: places.contains) { return nil }
        return paths.first { !$0.contains(text: "/\(ConfigurationPlaces.dropInDirectory)/") }
    }
}
