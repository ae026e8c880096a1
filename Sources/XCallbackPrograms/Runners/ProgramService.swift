package import XCallbackEventLoop

/// The service of a loop whose stages run programs.
package protocol ProgramService: LoopService {
    /// Whether the time of all requests is over, so that nobody waits for a program any more.
    var isOutOfTime: Bool { get }

    /// Stops the loop if the service stops and nothing is connected any more.
    func stopIfIdle(on loop: isolated EventLoop)
}
