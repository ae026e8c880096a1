import Glibc
package import XCallbackPipeline
package import XCallbackURL

/// The environment of a program: what it needs of the daemon's, and what the request gives; nothing else.
package struct ProgramEnvironment: Sendable {
    /// A parameter that is in the environment.
    package struct Parameter: Sendable {
        fileprivate let name: String
        fileprivate let text: @Sendable (borrowing Request) throws(CallbackError) -> [UInt8]?

        /// Creates a parameter.
        ///
        /// - Parameters:
        ///   - name: Its name.
        ///   - text: Its text in a request; nil if it is absent.
        package init(
            _ name: String, text: @escaping @Sendable (borrowing Request) throws(CallbackError) -> [UInt8]?
        ) {
            self.name = name
            self.text = text
        }

        /// The variable that a parameter is in.
        package static func variable(of name: String) -> String { "XCALLBACK_PARAM_\(name.variableName)" }
    }

    /// What is taken from the daemon's environment, besides what tells of the session: the folders of programs, the
    /// user's home and language, and where the session has its sockets.
    private static let inherited = ["PATH", "HOME", "LANG", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"]
    /// What leads to the user's screen, and what tells programs which desktop it is and which applications it has.
    private static let sessionNames = [
        "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "DESKTOP_SESSION",
        "KDE_FULL_SESSION", "KDE_SESSION_VERSION", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME",
        "XDG_CONFIG_DIRS",
    ]
    /// Where programs are found if the daemon does not know.
    static let defaultPath = "/usr/local/bin:/usr/bin:/bin"

    /// What comes from the daemon's environment.
    let base: [[UInt8]]
    private let parameters: [Parameter]

    /// Creates the environment of a program.
    ///
    /// - Parameter parameters: The parameters that are in it, beside what every program gets.
    package init(_ parameters: [Parameter]) {
        base = Self.session()
        self.parameters = parameters
    }

    /// What every program gets of the daemon's environment, as `NAME=value`: what is set of it; `PATH` always.
    package static func session() -> [[UInt8]] {
        let present = (inherited + sessionNames).compactMap { name in
            getenv(name).map { "\(name)=\(String(cString: $0))" }
        }
        return ((getenv("PATH") == nil ? ["PATH=\(defaultPath)"] : []) + present).map { Array($0.utf8) }
    }

    /// An environment with what the service manager of the user knows of the session now: the session may be younger
    /// than the process that runs the program, or another one than then.
    ///
    /// - Parameters:
    ///   - environment: The environment, as `NAME=value`.
    ///   - variables: What the service manager gives programs, as `NAME=value`.
    /// - Returns: The environment.
    package static func renewed(_ environment: [[UInt8]], by variables: [[UInt8]]) -> [[UInt8]] {
        environment.filter { !sessionNames.contains(name(of: $0)) }
            + variables.filter { sessionNames.contains(name(of: $0)) }
    }

    /// The name of a variable, `NAME=value`.
    package static func name(of variable: [UInt8]) -> String {
        String(decoding: variable.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    }

    /// The variables for a request, as `NAME=value`.
    ///
    /// - Throws: ``CallbackError`` if a parameter cannot be in an environment.
    package func variables(for request: Request) throws(CallbackError) -> [[UInt8]] {
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
            variables.append(try Program.checked(Array(variable.utf8), of: subject))
        }
        for parameter in parameters {
            guard let text = try parameter.text(request) else { continue }
            let variable = Array("\(Parameter.variable(of: parameter.name))=".utf8) + text
            variables.append(try Program.checked(variable, of: "Parameter '\(parameter.name)'"))
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
