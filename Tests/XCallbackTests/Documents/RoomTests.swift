import Foundation
import Testing
import XCallbackTesting

/// The folders of the sources, as the document on the architecture lists them.
struct RoomTests {
    private static let fileLimit = 20

    /// The folders below one, each with how many files it holds; only those that hold any.
    ///
    /// The inputs of fuzz targets do not count: people do not read them one by one.
    private static func folders(below top: String) throws -> [String: Int] {
        let names = try #require(FileManager.default.enumerator(atPath: "\(packageFolder)/\(top)")).compactMap {
            $0 as? String
        }
        let files = names.filter { name in
            var isFolder: ObjCBool = false
            return !name.hasPrefix("Corpora/")
                && FileManager.default.fileExists(atPath: "\(packageFolder)/\(top)/\(name)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }
        return Dictionary(grouping: files) {
            $0.contains("/") ? String($0[..<($0.lastIndex(of: "/") ?? $0.startIndex)]) : ""
        }
        .mapValues(\.count)
    }

    @Test(arguments: ["Sources", "Tests"])
    func noFolderHoldsManyFiles(top: String) throws {
        for (folder, count) in try Self.folders(below: top) {
            #expect(count <= Self.fileLimit, "\(top)/\(folder)")
        }
    }

    @Test func eachRoomIsListed() throws {
        let document = try textOfPackageFile("Docs/Explanation/Rooms.md")
        let listed = document.split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix("| `"), let end = line.dropFirst(3).firstIndex(of: "`") else { return nil }
            let name = String(line[line.index(line.startIndex, offsetBy: 3)..<end])
            return name.contains("/") && !name.hasPrefix("Sources") ? name : nil
        }
        let rooms = try Self.folders(below: "Sources").keys.filter { $0.contains("/") && !$0.hasSuffix("/include") }
        #expect(listed.sorted() == rooms.sorted())
    }
}
