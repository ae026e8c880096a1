/// Which configurations a daemon has loaded, and from which on it may still serve one.
struct ServedConfigurations {
    private var loaded: [Scenario.Configuration] = [.all]
    /// What the daemon has read last, with faults or without.
    private(set) var lastRead = Scenario.Configuration.all
    /// The number of the oldest one that may be served still.
    private(set) var oldest = 0

    /// The one that is served; nil while it may be one or another.
    var settled: Scenario.Configuration? { oldest == loaded.count - 1 ? loaded.last : nil }

    /// Notes that the daemon has loaded one, and serves it from some time on.
    mutating func load(_ configuration: Scenario.Configuration) {
        lastRead = configuration
        if configuration != .faulty { loaded.append(configuration) }
    }

    /// Notes that the daemon has nothing to do any more, and so serves the last one.
    mutating func settle() { oldest = loaded.count - 1 }

    /// Whether one for which something holds was served at a time since another one was the oldest.
    func contains(since number: Int, where holds: (Scenario.Configuration) -> Bool) -> Bool {
        loaded[number...].contains(where: holds)
    }
}
