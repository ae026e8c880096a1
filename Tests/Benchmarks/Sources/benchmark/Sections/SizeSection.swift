import Foundation

/// The sizes of the programs without symbols, as in packages.
enum SizeSection: Section {
    static let name = "size"

    static func run(on bench: Bench, into report: inout Report) throws {
        var table = Table(title: "Size without symbols", columns: ["program", "MB"])
        for program in [bench.daemon, bench.command] {
            let name = URL(fileURLWithPath: program).lastPathComponent
            let stripped = bench.workspace.path("\(name)-stripped")
            try bench.start("strip", ["-o", stripped, program]).finish()
            let attributes = try FileManager.default.attributesOfItem(atPath: stripped)
            let size = Double(attributes[.size] as? Int ?? 0) / 1e6
            report.add("size of \(name), MB", size)
            table.rows.append([name, size.short])
        }
        report.add(table)
    }
}
