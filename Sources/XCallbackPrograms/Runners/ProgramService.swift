package import XCallbackEventLoop
package import XCallbackPipeline

/// The service of a loop whose stages run programs.
package protocol ProgramService: LoopService {
    /// Whether the service is stopping and completes only the requests in progress.
    var isStopping: Bool { get }

    /// Whether the time of all requests is over, so that no client waits for a program.
    var isOutOfTime: Bool { get }

    /// The causes of the latest failures, for users who may see them.
    var failureCauses: FailureCauses { get }

    /// The questions that assistants and the desktop cause users to be asked.
    var questionLimits: QuestionLimits { get }

    /// Counts a log line for a request.
    ///
    /// - Returns: Whether the line may be written.
    func takeLogLine(for request: Request, on loop: isolated EventLoop) -> Bool

    /// Stops the loop if the service is stopping and has no connections.
    func stopIfIdle(on loop: isolated EventLoop)
}

extension EventLoop {
    /// The service of the loop, if its stages run programs.
    package var programService: (any ProgramService)? { service as? any ProgramService }
}
