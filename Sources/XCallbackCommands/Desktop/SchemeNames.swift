import ArgumentParser
import XCallbackBuiltIns
import XCallbackPipeline
import XCallbackURL

/// Schemes on the command line.
enum SchemeNames {
    /// Validates names of schemes.
    ///
    /// - Parameter names: The names as written: with or without a colon, in any case.
    /// - Returns: The distinct schemes in lower case.
    /// - Throws: `ValidationError` for an invalid name, or one that cannot belong to an application.
    static func checked(_ names: [String]) throws -> [String] {
        var schemes: [String] = []
        for name in names {
            let scheme = (name.hasSuffix(":") ? String(name.dropLast()) : name).lowercased()
            let bytes = Array(scheme.utf8)
            guard !bytes.isEmpty, bytes.indices.allSatisfy({ isSchemeByte(bytes[$0], isFirst: $0 == 0) }) else {
                throw ValidationError(
                    "'\(name.withVisibleControls)' is not a scheme: expected a letter, then letters, digits, '+', '-' "
                        + "or '.'.")
            }
            guard !CallbackRules.isRefused(scheme: scheme) else {
                throw ValidationError("The scheme '\(scheme)' is reserved.")
            }
            if !schemes.contains(scheme) { schemes.append(scheme) }
        }
        return schemes
    }

    /// Returns the schemes of a configuration, including that of the daemon's own URLs.
    static func all(in configuration: RouterConfiguration) -> [String] {
        configuration.pipeline.schemes.map(\.name) + [CallbackRules.answerScheme]
    }
}
