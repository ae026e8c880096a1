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
        let result = try ChildProcess.run(["/usr/bin/prlimit", "--pid", "\(process.id)", "--nofile=\(count):"])
        guard result.status == 0 else { throw TestFailure("prlimit: \(result.output)") }
    }
}
