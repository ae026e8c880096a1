import Glibc
package import XCallbackRouter
package import XCallbackURL

/// The environment of a program: the necessary variables of the daemon's, and those from the request; nothing else.
package struct ProgramEnvironment: Sendable {
    /// A variable of a request.
    package struct Variable: Sendable {
        fileprivate let name: String
        /// The value, if it is the same for all requests.
        fileprivate var literal: [UInt8]?
        /// Returns the value for a request; nil if the request does not have it.
        fileprivate let text: @Sendable (Request) throws(CallbackError) -> [UInt8]?
        /// What it is, in the error of a request whose value cannot be in an environment.
        fileprivate let subject: String

        /// Creates a variable that the configuration sets.
        package init(_ name: String, _ value: ProgramText) {
            self.name = name
            literal = value.literal
            text = { request throws(CallbackError) in try value.text(request) }
            subject = "The variable '\(name)'"
        }

        /// Creates the variable of a parameter; it is left out if the parameter is absent.
        package init(ofParameter name: String, text: @escaping @Sendable (Request) throws(CallbackError) -> [UInt8]?) {
            self.name = Self.name(ofParameter: name)
            self.text = text
            subject = "Parameter '\(name)'"
        }

        /// Returns the name of a parameter's variable.
        package static func name(ofParameter name: String) -> String { "XCALLBACK_PARAM_\(name.variableName)" }
    }

    /// The variables inherited from the daemon, in addition to those of the session: the search path, the user's home
    /// and language, and the locations of the session's sockets.
    private static let inherited = ["PATH", "HOME", "LANG", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"]
    /// The variables that lead to the user's screen, and that describe the desktop and its applications.
    private static let sessionNames = [
        "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "DESKTOP_SESSION",
        "KDE_FULL_SESSION", "KDE_SESSION_VERSION", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME",
        "XDG_CONFIG_DIRS", "XDG_MENU_PREFIX",
    ]
    /// The search path if the daemon has none.
    static let defaultPath = "/usr/local/bin:/usr/bin:/bin"

    /// The variables from the daemon's environment.
    private let base: [[UInt8]]
    private let parameters: [Variable]
    private let chosen: [Variable]

    /// Creates the environment of a program.
    ///
    /// - Parameters:
    ///   - parameters: The parameters to include, in addition to the variables that every program gets.
    ///   - chosen: The variables that the configuration sets; they override those that every program gets.
    package init(_ parameters: [Variable], chosen: [Variable]) {
        let names = chosen.map(\.name)
        base = Self.session().filter { names.isEmpty || !names.contains(Self.name(of: $0)) }
        self.parameters = parameters
        self.chosen = chosen
    }

    /// The names of the variables that the configuration sets.
    var chosenNames: [String] { chosen.map(\.name) }

    /// The variables without a request, as `NAME=value`; nil if one of them depends on a request.
    var literal: [[UInt8]]? {
        let literals = chosen.compactMap { variable in
            variable.literal.map { Array("\(variable.name)=".utf8) + $0 }
        }
        return literals.count == chosen.count ? base + literals : nil
    }

    /// Returns the variables that every program inherits from the daemon, as `NAME=value`: those that are set, and
    /// always `PATH`.
    package static func session() -> [[UInt8]] {
        let present = (inherited + sessionNames).compactMap { name in
            getenv(name).map { "\(name)=\(String(cString: $0))" }
        }
        return ((getenv("PATH") == nil ? ["PATH=\(defaultPath)"] : []) + present).map { Array($0.utf8) }
    }

    /// Returns an environment updated with the current session variables of the user's service manager: the session may
    /// be newer than the process that runs the program, or a different one.
    ///
    /// - Parameters:
    ///   - environment: The environment, as `NAME=value`.
    ///   - variables: The variables that the service manager gives to programs, as `NAME=value`.
    ///   - chosenNames: The names of the variables to keep, because the configuration sets them.
    /// - Returns: The updated environment.
    package static func renewed(
        _ environment: [[UInt8]], by variables: [[UInt8]], but chosenNames: [String] = []
    ) -> [[UInt8]] {
        func isRenewed(_ variable: [UInt8]) -> Bool {
            let name = name(of: variable)
            return sessionNames.contains(name) && !chosenNames.contains(name)
        }
        return environment.filter { !isRenewed($0) } + variables.filter(isRenewed)
    }

    /// Returns the name in `NAME=value`.
    package static func name(of variable: [UInt8]) -> String {
        String(decoding: variable.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    }

    /// Returns the variables for a request, as `NAME=value`.
    ///
    /// - Throws: ``CallbackError`` if a parameter cannot be in an environment.
    package func variables(for request: Request) throws(CallbackError) -> [[UInt8]] {
        var variables = base
        for fact in RequestFact.allCases {
            guard let text = request.text(of: fact) else { continue }
            let variable = "XCALLBACK_\(fact.rawValue.variableName)=\(text)"
            // Percent-encoding can make them longer than the URL.
            let subject =
                switch fact {
                case .action: "The action, percent-encoded,"
                case .query: "The query, percent-encoded,"
                default: "The URL"
                }
            variables.append(try Program.checked(Array(variable.utf8), of: subject))
        }
        for variable in parameters + chosen {
            guard let text = try variable.text(request) else { continue }
            variables.append(
                try Program.checked(Array("\(variable.name)=".utf8) + text, of: variable.subject))
        }
        return variables
    }
}

extension String {
    /// The text as part of a variable name: uppercase ASCII letters and digits; `_` replaces all other characters.
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
