import XCallbackWire

/// The role of an item in a list.
package enum ListPlace: Hashable, Sendable {
    /// Any number of elements: the item has the name of the list.
    case whole
    /// One element: the item has the name of the list, a full stop and a number.
    case element(Int)
}

/// Returns the role of an item in a list; nil if it does not belong to the list.
///
/// - Parameters:
///   - item: The decoded name of the item.
///   - list: The name of the list.
/// - Returns: The role; a number has at most nine digits.
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
