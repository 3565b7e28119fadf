package io.headgate.scheduler.runtime.leadership;

import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.ConnectResponse;
import java.util.stream.Collectors;

/// Messages for a trace: what matters of each, in one line.
final class SimulatedText {
  private SimulatedText() {}

  static String of(ConnectRequest message) {
    return switch (message.getMessageCase()) {
      case HELLO ->
          "Hello %s boot %s, obeyed %d, runs %s"
              .formatted(
                  message.getHello().getSessionId(),
                  message.getHello().getBootId(),
                  message.getHello().getHighestObeyed().getEpoch(),
                  message.getHello().getAttemptsList().stream()
                      .map(SimulatedText::of)
                      .collect(Collectors.joining(", ", "[", "]")));
      case UPDATE ->
          "Update %d %s"
              .formatted(message.getUpdate().getSequence(), of(message.getUpdate().getReport()));
      case HEARTBEAT -> "Heartbeat " + message.getHeartbeat().getNumber();
      case CLOSING -> "Closing";
      case LOG_CHUNK -> "LogChunk";
      case MESSAGE_NOT_SET -> "nothing";
    };
  }

  static String of(ConnectResponse message) {
    return switch (message.getMessageCase()) {
      case WELCOME ->
          "Welcome epoch %d, acknowledged %d"
              .formatted(
                  message.getWelcome().getLeadership().getEpoch(),
                  message.getWelcome().getAcknowledgedSequence());
      case ASSIGN ->
          "Assign %s#%d.%d epoch %d"
              .formatted(
                  message.getAssign().getJob(),
                  message.getAssign().getAttempt(),
                  message.getAssign().getWorker(),
                  message.getAssign().getLeadership().getEpoch());
      case STOP ->
          "Stop %s#%d.%d %s epoch %d"
              .formatted(
                  message.getStop().getJob(),
                  message.getStop().getAttempt(),
                  message.getStop().getWorker(),
                  message.getStop().getKind(),
                  message.getStop().getLeadership().getEpoch());
      case GO ->
          "Go %s#%d.%d"
              .formatted(
                  message.getGo().getJob(),
                  message.getGo().getAttempt(),
                  message.getGo().getWorker());
      case RESUME ->
          "Resume %s#%d.%d"
              .formatted(
                  message.getResume().getJob(),
                  message.getResume().getAttempt(),
                  message.getResume().getWorker());
      case ACKNOWLEDGE -> "Acknowledge " + message.getAcknowledge().getSequence();
      case FORGET ->
          "Forget %s#%d.%d"
              .formatted(
                  message.getForget().getJob(),
                  message.getForget().getAttempt(),
                  message.getForget().getWorker());
      case HEARTBEAT_REPLY -> "HeartbeatReply " + message.getHeartbeatReply().getNumber();
      case NOT_LEADER -> "NotLeader, but " + message.getNotLeader().getAddress();
      case READ_LOGS, CANCEL_READ_LOGS -> "logs";
      case MESSAGE_NOT_SET -> "nothing";
    };
  }

  private static String of(AttemptReport report) {
    return "%s#%d.%d %s%s"
        .formatted(
            report.getJob(),
            report.getAttempt(),
            report.getWorker(),
            report.getState().name().replace("STATE_", ""),
            report.getEndReasonValue() == 0
                ? ""
                : " " + report.getEndReason().name().replace("END_REASON_", ""));
  }
}
