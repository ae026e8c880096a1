import Glibc

/// What a program that has ended has left behind: processes of its group, and others that hold an end of its pipes.
package struct LeftProcesses: Sendable {
    /// How long the service manager may take to move them.
    private static let patience = Duration.seconds(2)

    private let group: pid_t
    private let pipes: [FileIdentity]

    /// Creates the description of what a program has left behind.
    ///
    /// - Parameters:
    ///   - group: The group of the program.
    ///   - ends: The open ends of its pipes in this process.
    package init(group: Int32, pipes ends: [Int32]) {
        self.group = group
        pipes = ends.compactMap { FileIdentity(ofFile: "/proc/self/fd/\($0)") }
    }

    /// Moves the processes from the unit of this one into a scope of the user's service manager, where they outlive the unit.
    ///
    /// A process that one of them starts meanwhile goes into another scope. This blocks until all are moved, for at most two
    /// seconds.
    ///
    /// - Parameters:
    ///   - scope: The name of the scope without its suffix.
    ///   - description: The description of the scope.
    /// - Returns: Whether none is left in the unit; false if there is no service manager, or if it does not respond.
    package func move(to scope: String, _ description: String) -> Bool {
        guard ManagerScope.user.isRunning else { return false }
        let end = ContinuousClock.now + Self.patience
        var (moved, refused): (Set<pid_t>, Set<pid_t>) = ([], [])
        while .now < end {
            guard let found = processes() else { return false }
            if found.isEmpty { return true }
            let new = found.subtracting(moved)
            let name = moved.isEmpty ? scope : "\(scope)-\(moved.count)"
            if new.isEmpty {
                // The manager replies before it moves them.
                usleep(5_000)
            } else if ManagerScope.moveToScope("\(name).scope", new, description) {
                moved.formUnion(new)
            } else if new == refused {
                return false
            } else {
                // One of them has ended, or there is no answer.
                refused = new
            }
        }
        return false
    }

    /// The processes in the control group of this one; nil if they are unknown.
    private func processes() -> Set<pid_t>? {
        guard let group = ProcessState.controlGroup(of: "self"), group.hasPrefix("0::"),
            let list = try? SmallFile("/sys/fs/cgroup\(group.dropFirst(3))/cgroup.procs", atMost: 1 << 20).text
        else { return nil }
        return Set(list.split(separator: "\n").compactMap { pid_t($0) }.filter(isLeft))
    }

    private func isLeft(_ id: pid_t) -> Bool {
        // A child is a program that runs. Until it has begun, it holds the pipes of all others.
        guard id != getpid(), let state = ProcessState(of: id), state.parentID != getpid() else { return false }
        return state.groupID == group || holdsPipe(id)
    }

    private func holdsPipe(_ id: pid_t) -> Bool {
        // Shells use no other descriptors.
        (0...9).contains { number in
            FileIdentity(ofFile: "/proc/\(id)/fd/\(number)").map { pipes.contains($0) } ?? false
        }
    }
}

extension ManagerScope {
    /// How long the service manager may take for a call.
    private static let patience = Duration.seconds(1)

    /// Moves processes into a new scope of the user's service manager; returns whether the manager accepts them.
    package static func moveToScope(_ name: String, _ processes: Set<Int32>, _ description: String) -> Bool {
        let manager = "org.freedesktop.systemd1"
        let method = [manager, "/org/freedesktop/systemd1", "\(manager).Manager", "StartTransientUnit"]
        let list = ["PIDs", "au", "\(processes.count)"] + processes.map { "\($0)" }
        let texts = [
            "Slice", "s", "app.slice", "CollectMode", "s", "inactive-or-failed", "Description", "s", description,
        ]
        let unit = ["ssa(sv)a(sa(sv))", name, "fail", "4"] + list + texts + ["0"]
        return ToolRun(asking: ["busctl", "--user", "call"] + method + unit, limit: patience).ending == .exited(0)
    }
}
