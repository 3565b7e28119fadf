package io.headgate.agent.runtime.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.JobName;
import io.headgate.agent.core.JobProgress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The agent keeps the newest progress that a job's program reported.
class ProgressWatchTest {
  private static final AttemptKey KEY = key("train");

  @TempDir Path attempt;
  private final ProgressWatch watch = new ProgressWatch();
  private Path progress;
  private Path checkpointed;

  private static AttemptKey key(String job) {
    return new AttemptKey(new JobName("acme", job), "", 1, 0);
  }

  @BeforeEach
  void makeHome() throws Exception {
    Path home = Files.createDirectory(attempt.resolve("work"));
    progress = home.resolve(".headgate-progress");
    checkpointed = home.resolve(".headgate-checkpointed");
    watch.follow(KEY, attempt);
  }

  private JobProgress word(ProgressWatch of) {
    assertThat(of.all()).hasSize(1);
    return of.all().getFirst();
  }

  @Test
  void reportsNothingOfJobsThatReportedNothing() {
    watch.look();
    watch.ended(KEY);
    assertThat(watch.all()).isEmpty();
  }

  @Test
  void keepsWhatWasSaidWhenTheFilesMakeNoSenseAnyMore() throws Exception {
    Files.writeString(progress, "0.4 epoch 3");
    Files.createFile(checkpointed);
    watch.look();
    JobProgress before = word(watch);
    Files.writeString(progress, "");
    Files.delete(checkpointed);
    watch.look();
    assertThat(word(watch)).isEqualTo(before);
    assertThat(before.fraction()).hasValue(0.4);
    assertThat(before.message()).isEqualTo("epoch 3");
  }

  /// The number of a checkpoint tells the scheduler that it has heard of this checkpoint before.
  @Test
  void tellsTheSameCheckpointOfAJobThatAnEarlierAgentStarted() throws Exception {
    Files.createFile(checkpointed);
    watch.look();
    ProgressWatch next = new ProgressWatch();
    next.follow(KEY, attempt);
    next.look();
    assertThat(word(next).checkpoint()).isEqualTo(word(watch).checkpoint());
    assertThat(word(next).checkpointBootMs())
        .isGreaterThanOrEqualTo(word(watch).checkpointBootMs());
  }

  @Test
  void looksOnceMoreAtTheEndAndNotAfterIt() throws Exception {
    Files.writeString(progress, "0.9");
    watch.look();
    Files.writeString(progress, "1");
    watch.ended(KEY);
    Files.writeString(progress, "0.1");
    watch.look();
    watch.ended(KEY);
    assertThat(word(watch).fraction()).hasValue(1);
    assertThat(word(watch).isLast()).isTrue();
  }

  @Test
  void keepsABoundedNumberOfLastWords() throws Exception {
    Files.writeString(progress, "1");
    for (int i = 0; i < 1_000; i++) {
      watch.follow(key("job-" + i), attempt);
      watch.ended(key("job-" + i));
    }
    watch.look();
    assertThat(watch.all()).hasSize(257).extracting(JobProgress::key).contains(KEY, key("job-999"));
  }
}
