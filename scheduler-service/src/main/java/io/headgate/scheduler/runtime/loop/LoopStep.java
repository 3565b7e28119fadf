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

/// A turn of the loop, decided: what to make durable, and what to do once it is.
///
/// @param batch absent: nothing of it is stored
/// @param touched jobs that look different although nothing of them is stored anew
/// @param unjudged jobs to be held against vaults
/// @param isLast the leader ends in order after it
public record LoopStep(
    Optional<Batch> batch,
    List<LoopTurn.Reply<?>> replies,
    List<Dispatch> dispatches,
    Collection<JobId> touched,
    Optional<VaultDesk.Page> unjudged,
    boolean isLast) {

  /// Nothing of it became durable.
  public void fail() {
    LeadershipLostException lost =
        new LeadershipLostException("this replica stopped leading before it was durable");
    replies.forEach(reply -> reply.fail(lost));
  }
}
