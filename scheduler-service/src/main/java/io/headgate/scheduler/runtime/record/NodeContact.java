package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.node.NodeId;
import java.time.Instant;

/// The last session of a node that said Hello.
///
/// @param bootId the kernel's
/// @param sessionId of the agent process
/// @param simulated its devices are simulated
public record NodeContact(
    NodeId node,
    String bootId,
    String sessionId,
    String agentVersion,
    boolean simulated,
    Instant connectedAt) {}
