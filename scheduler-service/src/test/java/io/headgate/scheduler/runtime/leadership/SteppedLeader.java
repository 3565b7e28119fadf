package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.agent.AgentHello;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.Dispatch;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.LeaderState;
import io.headgate.scheduler.runtime.loop.LeaderStart;
import io.headgate.scheduler.runtime.loop.LoopStep;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.CommitResult;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.type.ImageRules;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The leader of [OneLeader], which decides when a test says so. Each decision is durable at once,
/// and nothing is sent.
final class SteppedLeader {
  final OneLeader one = new OneLeader();
  private final List<LoopStep> steps = new ArrayList<>();
  private LeaderState state = one.state();
  private Leader leader = new Leader(one.start, one.ports, state, one.lease, steps::add);

  /// Decides on these, and makes it durable.
  void decide(Command... commands) throws InterruptedException {
    steps.clear();
    leader.decide(List.of(commands));
    for (LoopStep step : steps) {
      step.batch()
          .ifPresent(batch ->
              assertThat(
                      one.ports
                          .store()
                          .commit(leader.leadership(), OneLeader.SETTINGS.lease(), batch))
                  .isInstanceOf(CommitResult.Committed.class));
    }
  }

  /// Another leads, from there on.
  ///
  /// @param access the rights that it knows
  void follow(LoadedState loaded, CatalogUpdate access) {
    LeaderStart start =
        new LeaderStart(
            one.start.leadership(),
            OneLeader.SETTINGS,
            loaded.lastBatch(),
            loaded.version(),
            one.start.takeover());
    state = one.stateAfter(loaded, access);
    leader = new Leader(start, one.ports, state, one.lease, steps::add);
  }

  /// The durable state.
  LoadedState load() {
    return one.ports.store().load();
  }

  /// The agent of the first machine says Hello.
  AgentSession connect() throws InterruptedException {
    Heard agent = new Heard(OneLeader.MACHINES.getFirst());
    decide(
        new Command.Hello(
            agent,
            new AgentHello(
                "agent", "boot", "test", false, false, false, ImageRules.NONE, List.of())));
    return agent;
  }

  private record Heard(NodeId node) implements AgentSession {
    @Override
    public void send(AgentCommand command) {
      throw new AssertionError("nothing is said");
    }

    @Override
    public void endNotLeader(String leaderAddress) {
      throw new AssertionError();
    }

    @Override
    public void endReplaced() {
      throw new AssertionError();
    }
  }

  Leader leader() {
    return leader;
  }

  LeaderState state() {
    return state;
  }

  /// The steps of the last decision, as the following.
  List<LoopStep> steps() {
    return List.copyOf(steps);
  }

  Stream<Batch> batches() {
    return steps.stream().flatMap(step -> step.batch().stream());
  }

  List<Dispatch> dispatches() {
    return steps.stream().flatMap(step -> step.dispatches().stream()).toList();
  }

  JobRecord job(String name) {
    return state.jobs().job(new JobName(OneLeader.TENANT, name)).orElseThrow();
  }

  JobState stateOf(String name) {
    return job(name).state();
  }
}
