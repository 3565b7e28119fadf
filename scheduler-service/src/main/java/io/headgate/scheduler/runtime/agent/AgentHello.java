package io.headgate.scheduler.runtime.agent;

import io.headgate.type.ImageRules;
import java.util.List;

/// What an agent says when it opens a stream.
///
/// @param sessionId new at every start of the agent process
/// @param bootId the kernel's
/// @param closing the machine or its agent is being shut down
/// @param runsImages it runs jobs with an image
/// @param imageRules which images may
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
