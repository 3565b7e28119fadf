package io.headgate.scheduler.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class WaitingLineTest {
  private static final QueueState QUEUE = new QueueState(new QueueId(new TenantId("t"), "q"));

  private static LiveJob job(int priority, long sequence) {
    JobSpec spec =
        new JobSpec(
            new JobId(sequence),
            QUEUE.id(),
            new UserId("u"),
            priority,
            Optional.empty(),
            Optional.empty());
    return new LiveJob(Job.submitted(spec, JobState.WAITING, sequence, Instant.EPOCH, 0), QUEUE);
  }

  @Test
  void isASortedSetThatCounts() {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(7);
    WaitingLine<LiveJob> line = new WaitingLine<>(LiveJob.ORDER);
    TreeSet<LiveJob> model = new TreeSet<>(LiveJob.ORDER);
    List<LiveJob> all = new ArrayList<>();
    for (int step = 0; step < 6000; step++) {
      if (model.isEmpty() || random.nextInt(3) > 0) {
        LiveJob job = job(random.nextInt(3), step);
        line.add(job);
        model.add(job);
        all.add(job);
      } else {
        LiveJob job = all.remove(random.nextInt(all.size()));
        line.remove(job);
        model.remove(job);
        // A preempted job comes back.
        if (random.nextBoolean()) {
          line.add(job);
          model.add(job);
          all.add(job);
        }
      }
      assertThat(line.size()).isEqualTo(model.size());
      if (!model.isEmpty()) {
        LiveJob any = all.get(random.nextInt(all.size()));
        assertThat(line.first()).isSameAs(model.first());
        assertThat(line.ahead(any)).isEqualTo(model.headSet(any).size());
        assertThat(line.get(line.ahead(any))).isSameAs(any);
      }
    }
    List<LiveJob> copied = new ArrayList<>();
    line.copyTo(copied);
    assertThat(copied).containsExactlyElementsOf(model);
  }

  @Test
  void hasNoJobTwiceAndLosesNoneThatItHasNot() {
    WaitingLine<LiveJob> line = new WaitingLine<>(LiveJob.ORDER);
    LiveJob first = job(0, 1);
    line.add(first);
    line.add(job(0, 3));
    assertThatIllegalStateException().isThrownBy(() -> line.add(job(0, 1)));
    assertThatIllegalStateException().isThrownBy(() -> line.remove(job(0, 2)));
    assertThat(line.first()).isSameAs(first);
  }
}
