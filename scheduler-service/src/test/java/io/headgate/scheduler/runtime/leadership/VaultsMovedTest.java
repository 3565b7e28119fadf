package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.agent.AgentHello;
import io.headgate.scheduler.runtime.agent.AgentReport;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.agent.Dispatch;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.VaultDesk;
import io.headgate.scheduler.runtime.loop.LeaderStart;
import io.headgate.scheduler.runtime.loop.LoopStep;
import io.headgate.scheduler.runtime.record.CommitResult;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.LoadedState;
import io.headgate.type.ImageRules;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The fate of jobs that were accepted before vaults changed.
final class VaultsMovedTest {
  private final OneLeader one = new OneLeader();
  private final List<LoopStep> steps = new ArrayList<>();
  private Leader leader = new Leader(one.start, one.ports, one.state(), one.lease, steps::add);

  @Test
  void makesADraftOfAJobThatWaitsAndMayNotRunAnyMore() throws InterruptedException {
    decide(OneLeader.submit("trains", "train"), OneLeader.submit("mines", "mine"));
    decide(vaults("train"));
    judge(page().orElseThrow());
    assertThat(changed()).containsOnlyKeys("mines");
    assertThat(changed().get("mines").state()).isEqualTo(JobState.DRAFT);
    JobRecord.DraftCause draft = changed().get("mines").draft().orElseThrow();
    assertThat(draft.code()).isEqualTo("COMMAND_NOT_ALLOWED");
    assertThat(draft.message()).contains("vault 'train'", "'mine'", "requeue this one");
    assertThat(page()).as("all are judged").isEmpty();
  }

  @Test
  void ignoresVaultsThatWereReplacedMeanwhile() throws InterruptedException {
    decide(OneLeader.submit("trains", "train"), OneLeader.submit("mines", "mine"));
    decide(vaults("train"));
    VaultDesk.Page old = page().orElseThrow();
    decide(vaults("mine"));
    assertThat(page()).as("one is out").isEmpty();
    judge(old);
    assertThat(changed()).isEmpty();
    judge(page().orElseThrow());
    assertThat(changed()).containsOnlyKeys("trains");
  }

  @Test
  void checksJobsThatWereOnTheirWayWhenVaultsMoved() throws InterruptedException {
    decide(vaults("train"));
    decide(OneLeader.submit("trains", "train"), OneLeader.submit("mines", "mine"));
    judge(page().orElseThrow());
    assertThat(changed()).containsOnlyKeys("mines");
    assertThat(page()).isEmpty();
  }

  @Test
  void looksAtJobsAgainOnlyWhenTheirVaultsMoved() throws InterruptedException {
    decide(OneLeader.submit("mines", "mine"));
    decide(vaults());
    assertThat(page()).as("there are none").isEmpty();
    decide(vaults("mine"));
    judge(page().orElseThrow());
    decide(vaults("mine"));
    assertThat(page()).as("others of the same content").isEmpty();
  }

  @Test
  void looksAtSomeHundredsAtATimeAndGoesOnWithTheRestWhenVaultsOfOthersMove()
      throws InterruptedException {
    List<JobRecord> jobs =
        IntStream.rangeClosed(1, 2 * VaultDesk.PAGE + 1).mapToObj(OneLeader::waiting).toList();
    follow(
        new LoadedState(
            jobs,
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            LoadedState.UsageTold.NOTHING,
            List.of(),
            List.of(),
            Map.of(),
            jobs.size(),
            0,
            0),
        OneLeader.vaults("run"));
    decide();
    VaultDesk.Page first = page().orElseThrow();
    assertThat(first.items()).hasSize(VaultDesk.PAGE);
    decide(vaults("run"));
    judge(first);
    VaultDesk.Page second = page().orElseThrow();
    judge(second);
    VaultDesk.Page third = page().orElseThrow();
    judge(third);
    assertThat(page()).isEmpty();
    assertThat(
            Stream.of(first, second, third)
                .flatMap(page -> page.items().stream())
                .map(VaultDesk.Item::job))
        .containsExactlyElementsOf(jobs.stream().map(JobRecord::id).toList());
  }

  @Test
  void areJudgedByANewLeaderWhateverTheOneBeforeDid() throws InterruptedException {
    decide(OneLeader.submit("trains", "train"), OneLeader.submit("mines", "mine"));
    decide(vaults("train"));
    follow(one.ports.store().load(), OneLeader.vaults("train"));
    decide();
    judge(page().orElseThrow());
    assertThat(changed()).containsOnlyKeys("mines");
  }

  @Test
  void letsGoOnWhatRunsAndKeepsItFromItsQueue() throws InterruptedException {
    Heard agent = new Heard(OneLeader.MACHINES.getFirst());
    decide(
        new Command.Hello(
            agent,
            new AgentHello(
                "agent", "boot", "test", false, false, false, ImageRules.NONE, List.of())),
        OneLeader.submit("mines", "mine"));
    decide(new Command.Report(agent, 1, OneLeader.report("mines", AgentReport.State.RUNNING)));
    decide(vaults("train"));
    judge(page().orElseThrow());
    assertThat(changed()).isEmpty();
    assertThat(words()).isEmpty();
    decide(new Command.Report(agent, 2, OneLeader.report("mines", AgentReport.State.ENDED)));
    assertThat(changed().get("mines").draft().orElseThrow().code())
        .isEqualTo("COMMAND_NOT_ALLOWED");
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

  private static Command vaults(String... commands) {
    return new Command.CatalogMoved("access", OneLeader.vaults(commands));
  }

  /// Another leads, from there on.
  private void follow(LoadedState loaded, CatalogUpdate access) {
    LeaderStart start =
        new LeaderStart(
            one.start.leadership(),
            OneLeader.SETTINGS,
            loaded.lastBatch(),
            loaded.version(),
            one.start.takeover());
    leader = new Leader(start, one.ports, one.stateAfter(loaded, access), one.lease, steps::add);
  }

  /// Decides on these, and makes it durable.
  private void decide(Command... commands) throws InterruptedException {
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

  private void judge(VaultDesk.Page page) throws InterruptedException {
    decide(new Command.Judged(page, leader.judge(page)));
  }

  private Optional<VaultDesk.Page> page() {
    return steps.stream().flatMap(step -> step.unjudged().stream()).findFirst();
  }

  /// By name.
  private Map<String, JobRecord> changed() {
    Map<String, JobRecord> changed = new LinkedHashMap<>();
    steps.stream()
        .flatMap(step -> step.batch().stream())
        .flatMap(batch -> batch.jobs().stream())
        .forEach(job -> changed.put(job.name().id(), job));
    return changed;
  }

  private List<Dispatch> words() {
    return steps.stream().flatMap(step -> step.dispatches().stream()).toList();
  }
}
