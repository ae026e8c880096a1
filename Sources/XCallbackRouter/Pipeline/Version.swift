/// The version of this release.
package enum Version {
    /// The number, as `--version` prints it.
    package static let text = "1.0.0"
}
