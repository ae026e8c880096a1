package import XCallbackTesting

extension RunningDaemon {
    /// A configuration without programs: `notes:/echo` answers with the value of `v`, and `notes:/ping` with `pong`.
    ///
    /// More keys, and routes with an indent of two, can follow it.
    package static let echoConfiguration = """
        schemes: [notes]
        routes:
          - route: notes:/echo
            respond: { v: "{v}" }
          - route: notes:/ping
            respond: { pong: "1" }

        """

    /// Changes the daemon's descriptor limit.
    package func limitDescriptors(to count: Int) throws {
        let program = try ChildProcess(
            ["/usr/bin/prlimit", "--pid", "\(process.id)", "--nofile=\(count):"],
            output: "/dev/null", error: directory.path(of: "complaints"))
        guard try program.wait() == 0 else { throw TestFailure("prlimit: \(try directory.text(of: "complaints"))") }
    }
}
