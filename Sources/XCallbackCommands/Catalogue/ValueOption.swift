import ArgumentParser
import Glibc
import XCallbackClient
import XCallbackPipeline

/// Selects an item of the answer, so that only its values are printed.
struct ValueOption: ParsableArguments {
    @Option(
        name: .customLong("value"),
        help: ArgumentHelp(
            "Print only the values of one item of a success, one per line. The exit status is 1 if there are none.",
            valueName: "name"), completion: .live(.item))
    var name: String?

    /// Prints the values of an item.
    ///
    /// - Returns: Whether the answer has the item.
    /// - Throws: ``Failure`` if standard output cannot be written.
    static func print(_ name: String, of answer: Client.Answer) throws(Failure) -> Bool {
        guard case .success(let items) = answer.response else {
            try answer.print()
            return true
        }
        let values = items.filter { $0.name == name }.compactMap(\.value)
        let isSeen = isatty(STDOUT_FILENO) == 1
        for value in values { try Terminal.print(isSeen ? value.withVisibleLines : value) }
        if values.isEmpty {
            Terminal.printError("xcallback: the answer has no item '\(name.withVisibleControls)' with a value")
        }
        return !values.isEmpty
    }
}
