import Glibc
import XCallbackBytes
import XCallbackConfiguration
import XCallbackPipeline
import XCallbackRouting
import XCallbackURL

/// The environment of a program: what it needs of the daemon's, and what the request gives; nothing else.
package struct ProgramEnvironment: Sendable {
    /// What is taken from the daemon's environment: the folders of programs, the user's home and language, and what
    /// leads to the user's screen.
    private static let inherited = [
        "PATH", "HOME", "LANG", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE",
        "XDG_CURRENT_DESKTOP", "DBUS_SESSION_BUS_ADDRESS",
    ]
    /// Where programs are found if the daemon does not know.
    static let defaultPath = "/usr/local/bin:/usr/bin:/bin"

    /// What comes from the daemon's environment.
    let base: [[UInt8]]
    private let parameters: [(variable: String, part: Template.Part, name: String)]

    /// Decodes nothing, but reports parameters whose variables have the same name.
    ///
    /// - Parameters:
    ///   - source: The stage that runs the program.
    ///   - place: Where the program stands.
    ///   - readsInput: Whether the declared parameters are decoded by then; else only captures are in the environment.
    init(_ source: StageSource, at place: Place, readsInput: Bool) {
        base = Self.session()
        var names: [String: String] = [:]
        let parameterNames =
            readsInput ? source.route.parameterNames : source.route.pattern.captures.map(\.name)
        parameters = parameterNames.compactMap { name in
            let variable = "XCALLBACK_PARAM_\(name.variableName)"
            if let other = names.updateValue(name, forKey: variable) {
                source.faults.report(
                    "the parameters \(other.quoted) and \(name.quoted) would both be \(variable) in the environment of "
                        + "the program: rename one", at: place)
                return nil
            }
            let isList = source.route.isList(name)
            return (variable, .parameter(name: Array(name.utf8), isList: isList, isOptional: true), name)
        }
    }

    /// What every program gets of the daemon's environment, as `NAME=value`.
    ///
    /// - Parameter others: The names of what this program needs besides.
    /// - Returns: Those that are set; `PATH` always.
    package static func session(and others: [String] = []) -> [[UInt8]] {
        let present = (inherited + others).compactMap { name in
            getenv(name).map { "\(name)=\(String(cString: $0))" }
        }
        return ((getenv("PATH") == nil ? ["PATH=\(defaultPath)"] : []) + present).map { Array($0.utf8) }
    }

    /// The variables for a request, as `NAME=value`.
    ///
    /// - Throws: ``CallbackError`` if a parameter cannot be in an environment.
    func variables(for request: Request) throws(CallbackError) -> [[UInt8]] {
        var variables = base
        for fact in RequestFact.allCases {
            guard let text = request.text(of: fact) else { continue }
            let variable = "XCALLBACK_\(fact.rawValue.variableName)=\(text)"
            // Encoded they can be longer than the URL.
            let subject =
                switch fact {
                case .action: "The action, percent-encoded,"
                case .query: "The query, percent-encoded,"
                default: "The URL"
                }
            variables.append(try checked(Array(variable.utf8), of: subject))
        }
        for (variable, part, name) in parameters {
            var isPresent = false
            part.forEachValue(request) { _ in isPresent = true }
            guard isPresent else { continue }
            var text = ByteBuffer()
            text.append(Array("\(variable)=".utf8).span)
            part.append(request, to: &text, joinedBy: UInt8(ascii: "/"))
            variables.append(try checked(text.contents, of: "Parameter '\(name)'"))
        }
        return variables
    }
}

extension String {
    /// The text as a part of the name of a variable: letters of ASCII in upper case, digits, and `_` for all else.
    package var variableName: String {
        unicodeScalars.reduce(into: "") { name, scalar in
            switch scalar {
            case "a"..."z": name.unicodeScalars.append(Unicode.Scalar(UInt8(scalar.value - 32)))
            case "A"..."Z", "0"..."9": name.unicodeScalars.append(scalar)
            default: name.unicodeScalars.append("_")
            }
        }
    }
}
