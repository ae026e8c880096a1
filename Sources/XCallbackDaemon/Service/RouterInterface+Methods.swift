import XCallbackWire

extension RouterInterface {
    /// The methods that the daemon implements.
    enum Method: String, CaseIterable {
        case open = "Open"
        case explain = "Explain"
        case check = "Check"
        case routes = "Routes"
        case status = "Status"
        case monitor = "Monitor"
        case reload = "Reload"
        case receive = "Receive"
        case respond = "Respond"
        case retire = "Retire"
        case subscribe = "Subscribe"
        case publish = "Publish"
        case call = "Call"

        static let all = allCases
        private static let severalReplies: [Self] = [.monitor, .receive, .subscribe, .call]

        /// Whether the daemon must have a configuration.
        var needsConfiguration: Bool {
            switch self {
            case .explain, .routes, .receive, .subscribe, .publish: true
            default: false
            }
        }

        /// The method as the interface offers it.
        var method: VarlinkService.Method {
            VarlinkService.Method(rawValue, requiresMore: Self.severalReplies.contains(self))
        }
    }
}
