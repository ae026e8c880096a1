import XCallbackRouter
import XCallbackWire

/// The Varlink interface of the daemon.
enum RouterInterface {
    /// Its name.
    static let name = "org.xcallback.Router"

    /// The service that clients see; created on the first call.
    static let service = VarlinkService(
        VarlinkService.Information(
            vendor: "xcallbackd", product: "xcallbackd", version: Version.text, url: "https://x-callback-url.com"),
        interface: name, description: String(decoding: PackageResources.org_xcallback_Router_varlink, as: UTF8.self),
        methods: Method.allCases.map(\.method))
}
