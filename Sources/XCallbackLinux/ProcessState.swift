import Glibc

/// The state of a process according to the kernel (`/proc/PID/stat`).
package struct ProcessState {
    package let id: Int32
    package let parentID: Int32
    /// The ID of its process group.
    let groupID: Int32
    /// When it started, in ticks since the boot.
    package let startTime: UInt64

    /// Reads the state of a process; nil if it has ended or may not be inspected.
    package init?(of id: Int32) {
        // The name of the program is in parentheses, and may contain blanks and parentheses.
        guard id > 0, let bytes = try? SmallFile("/proc/\(id)/stat").bytes,
            let end = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = String(decoding: bytes[(end + 1)...], as: UTF8.self).split(separator: " ")
        guard fields.count > 19, let parent = Int32(fields[1]), let group = Int32(fields[2]),
            let start = UInt64(fields[19])
        else { return nil }
        self.id = id
        parentID = parent
        groupID = group
        startTime = start
    }

    package static var own: ProcessState? { ProcessState(of: getpid()) }

    /// Returns the line of a process's control group in the service manager's hierarchy: `0::`, or `name=systemd` where the
    /// system uses no unified one (cgroups(7)).
    package static func controlGroup(of process: String) -> Substring? {
        guard let text = try? SmallFile("/proc/\(process)/cgroup").text else { return nil }
        let lines = text.split(separator: "\n")
        let unified = lines.first { $0.hasPrefix("0::") }
        guard unified == "0::/" else { return unified }
        return lines.first { $0.split(separator: ":").dropFirst().first == "name=systemd" } ?? unified
    }

    /// The path of the program, or else its name, which the process can change; nil if neither is available.
    package var program: String? {
        if let path = try? programPath(ofProcess: "\(id)") { return String(decoding: path, as: UTF8.self) }
        return (try? SmallFile("/proc/\(id)/comm").text).map { String($0.dropLast()) }
    }
}
