package io.headgate.agent.core;

/// Where the other workers of a gang reach a prepared worker.
///
/// @param host IP address or host name of its node
/// @param masterPort held for the gang, 1 to 65535; 0: it is not worker 0
public record WorkerAddress(String host, int masterPort) {}
