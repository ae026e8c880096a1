import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackJSON
import XCallbackVarlink

/// The files of a configuration to check, which a client sends in several calls.
struct FilesToCheck {
    /// The maximum size of a configuration to check, in bytes; decoding uses several times as much memory.
    private static let byteLimit = 4_194_304
    /// The maximum number of files.
    private static let countLimit = 1000

    /// The files received so far.
    private(set) var files: [ConfigurationFile] = []
    private var byteCount = 0

    /// Adds the files of a call; their bytes count toward the account until ``drop(of:)``.
    ///
    /// - Throws: ``VarlinkError`` if the limit is exceeded; then all files are dropped.
    mutating func add(_ parameters: JSONValue, of account: Account) throws(VarlinkError) {
        for file in parameters["files"]?.elements ?? [] {
            let (name, text) = (file["name"]?.text ?? "", file["text"]?.text ?? "")
            let goesOn = files.last?.name == name
            let count = text.utf8.count + (goesOn ? 0 : name.utf8.count)
            do throws(Excess) {
                try account.take(.bytes, count)
            } catch {
                drop(of: account)
                throw VarlinkError(error)
            }
            byteCount += count
            if goesOn { files[files.count - 1].text += text } else { files.append(ConfigurationFile(name, text)) }
            guard byteCount <= Self.byteLimit, files.count <= Self.countLimit else {
                drop(of: account)
                throw Self.tooMuch
            }
        }
    }

    /// Drops all files.
    mutating func drop(of account: Account) {
        account.give(.bytes, byteCount)
        self = FilesToCheck()
    }

    private static let tooMuch = VarlinkError(
        "\(RouterInterface.name).LimitReached",
        [
            .init("name", .string("files")), .init("used", .whole(byteLimit + 1)), .init("limit", .whole(byteLimit)),
            .init(
                "message",
                .string("The daemon checks \(countLimit) files with \(byteLimit) bytes at most; a reload takes more.")),
        ])
}
