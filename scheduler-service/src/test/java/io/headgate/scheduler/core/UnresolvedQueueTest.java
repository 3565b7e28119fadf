package io.headgate.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.job.JobState;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A new leader may have jobs of queues whose configuration it does not know yet.
class UnresolvedQueueTest {
  @Test
  void jobsOfAnUnknownQueueAreLoadedAndWait() {
    Driver it =
        new Driver(
                new TenantBuilder()
                    .pool("pool")
                    .profile("one", "1", "pool")
                    .policy("team", "1", "1")
                    .queue("q", "team", "one", 1))
            .submit("q", "a", "b");
    SchedulerState known = it.core.state();
    it.core =
        SchedulerCore.load(
            SchedulerState.kept(
                List.of(), known.nodes(), known.jobs(), known.attempts(), known.holds()),
            it.core.placement());
    it.pass();
    assertThat(it.in(JobState.WAITING)).containsExactly("a", "b");
  }
}
