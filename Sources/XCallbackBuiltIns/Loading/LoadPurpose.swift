/// What a configuration is loaded for.
package enum LoadPurpose: Sendable {
    /// To serve it, or to find out whether the daemon could.
    case serving
    /// To find its faults in another process than the daemon, which has its own programs and credentials.
    case checking
    /// To show its routes, without reading any secret.
    case reading
}
