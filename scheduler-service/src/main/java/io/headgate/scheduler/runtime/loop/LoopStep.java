package io.headgate.scheduler.runtime.loop;

import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.runtime.agent.Dispatch;
import io.headgate.scheduler.runtime.desk.LeadershipLostException;
import io.headgate.scheduler.runtime.desk.LoopTurn;
import io.headgate.scheduler.runtime.desk.VaultDesk;
import io.headgate.scheduler.runtime.record.Batch;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// A decided turn of the loop: the batch to commit, and the actions that follow once it is durable.
///
/// @param batch absent: the turn stores nothing
/// @param touched jobs whose view changed without a stored change
/// @param unjudged jobs that wait to be checked against vaults
/// @param isLast the leader ends in an orderly way after this step
public record LoopStep(
    Optional<Batch> batch,
    List<LoopTurn.Reply<?>> replies,
    List<Dispatch> dispatches,
    Collection<JobId> touched,
    Optional<VaultDesk.Page> unjudged,
    boolean isLast) {

  /// Fails the replies: the step did not become durable.
  public void fail() {
    LeadershipLostException lost =
        new LeadershipLostException(
            "this replica lost its leadership before the change was durable");
    replies.forEach(reply -> reply.fail(lost));
  }
}
