package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.agent.AgentReport;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.VaultDesk;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.LoadedState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The fate of jobs that were accepted before vaults changed.
final class VaultsMovedTest {
  private final SteppedLeader leader = new SteppedLeader();

  @Test
  void makesADraftOfAJobThatWaitsAndMayNotRunAnyMore() throws InterruptedException {
    leader.decide(OneLeader.submit("trains", "train"), OneLeader.submit("mines", "mine"));
    leader.decide(vaults("train"));
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
    leader.decide(OneLeader.submit("trains", "train"), OneLeader.submit("mines", "mine"));
    leader.decide(vaults("train"));
    VaultDesk.Page old = page().orElseThrow();
    leader.decide(vaults("mine"));
    assertThat(page()).as("one is out").isEmpty();
    judge(old);
    assertThat(changed()).isEmpty();
    judge(page().orElseThrow());
    assertThat(changed()).containsOnlyKeys("trains");
  }

  @Test
  void checksJobsThatWereOnTheirWayWhenVaultsMoved() throws InterruptedException {
    leader.decide(vaults("train"));
    leader.decide(OneLeader.submit("trains", "train"), OneLeader.submit("mines", "mine"));
    judge(page().orElseThrow());
    assertThat(changed()).containsOnlyKeys("mines");
    assertThat(page()).isEmpty();
  }

  @Test
  void looksAtJobsAgainOnlyWhenTheirVaultsMoved() throws InterruptedException {
    leader.decide(OneLeader.submit("mines", "mine"));
    leader.decide(vaults());
    assertThat(page()).as("there are none").isEmpty();
    leader.decide(vaults("mine"));
    judge(page().orElseThrow());
    leader.decide(vaults("mine"));
    assertThat(page()).as("others of the same content").isEmpty();
  }

  @Test
  void looksAtSomeHundredsAtATimeAndGoesOnWithTheRestWhenVaultsOfOthersMove()
      throws InterruptedException {
    List<JobRecord> jobs =
        IntStream.rangeClosed(1, 2 * VaultDesk.PAGE + 1).mapToObj(OneLeader::waiting).toList();
    leader.follow(
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
    leader.decide();
    VaultDesk.Page first = page().orElseThrow();
    assertThat(first.items()).hasSize(VaultDesk.PAGE);
    leader.decide(vaults("run"));
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
    leader.decide(OneLeader.submit("trains", "train"), OneLeader.submit("mines", "mine"));
    leader.decide(vaults("train"));
    leader.follow(leader.load(), OneLeader.vaults("train"));
    leader.decide();
    judge(page().orElseThrow());
    assertThat(changed()).containsOnlyKeys("mines");
  }

  @Test
  void letsGoOnWhatRunsAndKeepsItFromItsQueue() throws InterruptedException {
    AgentSession agent = leader.connect();
    leader.decide(OneLeader.submit("mines", "mine"));
    leader.decide(
        new Command.Report(agent, 1, OneLeader.report("mines", AgentReport.State.RUNNING)));
    leader.decide(vaults("train"));
    judge(page().orElseThrow());
    assertThat(changed()).isEmpty();
    assertThat(leader.dispatches()).isEmpty();
    leader.decide(new Command.Report(agent, 2, OneLeader.report("mines", AgentReport.State.ENDED)));
    assertThat(changed().get("mines").draft().orElseThrow().code())
        .isEqualTo("COMMAND_NOT_ALLOWED");
  }

  private static Command vaults(String... commands) {
    return new Command.CatalogMoved("access", OneLeader.vaults(commands));
  }

  private void judge(VaultDesk.Page page) throws InterruptedException {
    leader.decide(new Command.Judged(page, leader.leader().judge(page)));
  }

  private Optional<VaultDesk.Page> page() {
    return leader.steps().stream().flatMap(step -> step.unjudged().stream()).findFirst();
  }

  /// By name.
  private Map<String, JobRecord> changed() {
    Map<String, JobRecord> changed = new LinkedHashMap<>();
    leader
        .batches()
        .flatMap(batch -> batch.jobs().stream())
        .forEach(job -> changed.put(job.name().id(), job));
    return changed;
  }
}
