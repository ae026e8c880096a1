import Glibc

/// Returns an environment variable; nil if it is unset or empty.
package func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}

/// Returns the environment of this process, as `NAME=value`.
package func inheritedVariables() -> [String] {
    var variables: [String] = []
    var next = environ
    while let text = next.pointee {
        variables.append(String(cString: text))
        next += 1
    }
    return variables
}
