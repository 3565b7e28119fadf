package io.headgate.scheduler.runtime.agent;

/// Where the other workers of a gang reach a worker.
///
/// @param host IP address or host name of its node
/// @param masterPort that its agent holds for the gang; 0: none
public record WorkerAddress(String host, int masterPort) {}
