package io.headgate.scheduler.runtime.agent;

import io.headgate.type.ImageRules;
import java.util.List;

/// The first message of an agent on a new stream.
///
/// @param sessionId new at every start of the agent process
/// @param bootId the kernel's
/// @param closing the machine or its agent is being shut down
/// @param runsImages it runs jobs with an image
/// @param imageRules the images that it may run
/// @param attempts every attempt of which the machine has a record
public record AgentHello(
    String sessionId,
    String bootId,
    String agentVersion,
    boolean simulated,
    boolean closing,
    boolean runsImages,
    ImageRules imageRules,
    List<AgentReport> attempts) {
  public AgentHello {
    attempts = List.copyOf(attempts);
  }
}
