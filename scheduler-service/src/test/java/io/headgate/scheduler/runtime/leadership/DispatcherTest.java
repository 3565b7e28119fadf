package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.Dispatch;
import io.headgate.scheduler.runtime.agent.Dispatcher;
import io.headgate.scheduler.runtime.record.Failpoint;
import io.headgate.scheduler.runtime.record.Leadership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// The order in which a stream hears of commands.
final class DispatcherTest {
  private static final NodeId NODE = new NodeId(new TenantId("acme"), "node");

  /// A stream that keeps what it is sent.
  private record Recorded(NodeId node, List<AgentCommand> sent) implements AgentSession {
    @Override
    public void send(AgentCommand command) {
      sent.add(command);
    }

    @Override
    public void endNotLeader(String leaderAddress) {}

    @Override
    public void endReplaced() {}
  }

  @Test
  void aCommandDecidedBeforeAStreamOpenedDoesNotReachThatStream() {
    Dispatcher dispatcher =
        new Dispatcher(
            new Dispatcher.Ports(
                () -> {}, new InMemoryStore(() -> 0), OneLeader::asked, Failpoint.Handler.NONE),
            _ -> {},
            (_, _) -> {});
    Recorded stream = new Recorded(NODE, new ArrayList<>());
    Leadership leadership =
        new Leadership(new UUID(0, 1), 1, Optional.empty(), Optional.empty(), Optional.empty());
    AgentCommand.Welcome welcome = new AgentCommand.Welcome(leadership, Duration.ofSeconds(1), 0);

    dispatcher.carryOut(
        List.of(
            new Dispatch.Say(NODE, new AgentCommand.CancelReadLogs("read")),
            new Dispatch.Open(stream, welcome)));

    assertThat(stream.sent()).containsExactly(welcome);
  }
}
