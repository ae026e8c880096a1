import Glibc

/// The value of a variable of the environment; nil if there is none.
func environmentVariable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
