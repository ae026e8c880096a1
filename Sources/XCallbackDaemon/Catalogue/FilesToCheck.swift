import XCallbackConfiguration
import XCallbackEventLoop
import XCallbackJSON
import XCallbackVarlink

/// The files of a configuration that is to be checked, of which a client tells in several calls.
struct FilesToCheck {
    /// How many bytes a configuration that is checked may have: to decode it takes a multiple of them.
    private static let byteLimit = 4_194_304
    /// How many files it may have.
    private static let countLimit = 1000

    /// What has come so far.
    private(set) var files: [ConfigurationFile] = []
    private var byteCount = 0

    /// Adds what a call tells; the account has taken its bytes until ``drop(of:)``.
    ///
    /// - Throws: ``VarlinkError`` if it is too much; what has come before is dropped then.
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

    /// Lets go of all files.
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
