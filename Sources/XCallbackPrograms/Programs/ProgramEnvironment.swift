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

    /// A variable that the configuration sets.
    package struct Variable: Sendable {
        fileprivate let name: String
        fileprivate let value: any ProgramArgument

        /// Creates a variable.
        ///
        /// - Parameters:
        ///   - name: Its name.
        ///   - value: Its value.
        package init(_ name: String, _ value: any ProgramArgument) {
            self.name = name
            self.value = value
        }
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
    private let base: [[UInt8]]
    private let parameters: [Parameter]
    private let chosen: [Variable]

    /// Creates the environment of a program.
    ///
    /// - Parameters:
    ///   - parameters: The parameters that are in it, beside what every program gets.
    ///   - chosen: The variables that the configuration sets, also in the place of what every program gets.
    package init(_ parameters: [Parameter], chosen: [Variable]) {
        let names = chosen.map(\.name)
        base = Self.session().filter { names.isEmpty || !names.contains(Self.name(of: $0)) }
        self.parameters = parameters
        self.chosen = chosen
    }

    /// The names of the variables that the configuration sets.
    var chosenNames: [String] { chosen.map(\.name) }

    /// The variables where there is no request, as `NAME=value`; nil if one of them comes from a request.
    var literal: [[UInt8]]? {
        let literals = chosen.compactMap { variable in
            variable.value.literal.map { Array("\(variable.name)=".utf8) + $0 }
        }
        return literals.count == chosen.count ? base + literals : nil
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
    ///   - chosenNames: The names of the variables that stay, because the configuration sets them.
    /// - Returns: The environment.
    package static func renewed(
        _ environment: [[UInt8]], by variables: [[UInt8]], but chosenNames: [String] = []
    ) -> [[UInt8]] {
        func isRenewed(_ variable: [UInt8]) -> Bool {
            let name = name(of: variable)
            return sessionNames.contains(name) && !chosenNames.contains(name)
        }
        return environment.filter { !isRenewed($0) } + variables.filter(isRenewed)
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
        for variable in chosen {
            let text = Array("\(variable.name)=".utf8) + (try variable.value.text(for: request))
            variables.append(try Program.checked(text, of: "The variable '\(variable.name)'"))
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
