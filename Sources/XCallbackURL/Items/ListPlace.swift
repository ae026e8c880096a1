import XCallbackBytes

/// What an item with a certain name gives of a list.
package enum ListPlace: Hashable, Sendable {
    /// Any number of elements: its name is that of the list.
    case whole
    /// One element: its name is that of the list, a full stop and a number.
    case element(Int)
}

/// What an item gives of a list; nil if it does not belong to it.
///
/// - Parameters:
///   - item: The decoded name of the item.
///   - list: The name of the list.
/// - Returns: The place, of which a number has at most nine digits.
package func listPlace(of item: Span<UInt8>, in list: [UInt8]) -> ListPlace? {
    guard item.count >= list.count, areEqual(item.extracting(0..<list.count), list.span) else { return nil }
    if item.count == list.count { return .whole }
    guard item[list.count] == UInt8(ascii: "."), (1...9).contains(item.count - list.count - 1) else { return nil }
    var number = 0
    for index in list.count + 1..<item.count {
        guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= item[index] else { return nil }
        number = number * 10 + Int(item[index] - UInt8(ascii: "0"))
    }
    return .element(number)
}
