/// The memory of a kind of stage between requests, in a separate type.
///
/// All stages of a router share the memory of a type: a stage that must distinguish itself, or its route, uses a key.
/// The memory is created on first use, and survives a reload of the configuration.
@usableFromInline
package protocol StageMemory: Sendable {
    /// Creates the memory of stages without any requests yet.
    init()
}

extension PipelineState {
    /// The memory of the stages that use a type.
    ///
    /// It is changed in place. A copy of the state gets its own memory on its first change.
    ///
    /// - Parameter type: The type.
    @inlinable
    package subscript<Memory: StageMemory>(type: Memory.Type) -> Memory {
        @inline(__always) get {
            for index in memories.indices where memories[index].type == ObjectIdentifier(type) {
                return memories[index].box(of: type).memory
            }
            return Memory()
        }
        // Inlined because calling the accessor allocates memory for its coroutine.
        @inline(__always) _modify {
            let index = indexOfMemory(of: type)
            if !isKnownUniquelyReferenced(&memories[index].box) {
                memories[index].box = MemoryBox(memories[index].box(of: type).memory)
            }
            yield &memories[index].box(of: type).memory
        }
    }

    /// The position of the memory of a type; created if missing.
    @inlinable @inline(__always)
    mutating func indexOfMemory<Memory: StageMemory>(of type: Memory.Type) -> Int {
        for index in memories.indices where memories[index].type == ObjectIdentifier(type) { return index }
        memories.append(StoredMemory(type: ObjectIdentifier(type), box: MemoryBox(Memory())))
        return memories.count - 1
    }
}

/// The memory of a type, known only to the code that uses it.
@usableFromInline
struct StoredMemory: Sendable {
    @usableFromInline let type: ObjectIdentifier
    @usableFromInline var box: any AnyObject & Sendable

    @usableFromInline
    init(type: ObjectIdentifier, box: any AnyObject & Sendable) {
        self.type = type
        self.box = box
    }

    /// The box with its actual type.
    @inlinable
    func box<Memory: StageMemory>(of type: Memory.Type) -> MemoryBox<Memory> {
        unsafeDowncast(box, to: MemoryBox<Memory>.self)
    }
}

/// The memory of a type.
@usableFromInline
final class MemoryBox<Memory: StageMemory>: Sendable {
    /// Only the owner of the state changes it, while it alone holds the box.
    @usableFromInline nonisolated(unsafe) var memory: Memory

    @usableFromInline
    init(_ memory: Memory) {
        self.memory = memory
    }
}
