package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Submission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Submits jobs one after the other while faults happen, and compares the outcome with the records
/// that the jobs wrote themselves. Each job ran once, never twice at a time, and no two jobs shared
/// a GPU.
final class JobStream {
  /// Most jobs that may wait at a time, so that a busy machine does not fall further and further
  /// behind.
  private static final int AHEAD = 4;

  /// Each job writes a line when it begins and one when it ends. A directory is its lock, and a
  /// file lock guards its GPU, which the kernel releases however the job ends.
  private static final String SCRIPT =
      """
      mkdir "$0/$1.lock" || echo "$1" >> "$0/twice"
      umask 0
      exec 9>> "$0/$CUDA_VISIBLE_DEVICES.lock"
      flock -n 9 || echo "$1 on $CUDA_VISIBLE_DEVICES" >> "$0/shared"
      echo "begin $(date +%s%N)" >> "$0/$1"
      sleep 0.3
      echo end >> "$0/$1"
      rmdir "$0/$1.lock"
      """;

  private final JobClient jobs;
  private final String queue;
  private final Path directory;
  private final List<String> accepted = new CopyOnWriteArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread = Thread.ofPlatform().name("job-stream").unstarted(this::run);
  private volatile @Nullable Exception failure;

  /// @param directory that the jobs find at its place
  JobStream(JobClient jobs, String queue, Path directory) throws IOException {
    openToAll(directory);
    this.jobs = jobs;
    this.queue = queue;
    this.directory = directory;
  }

  /// Creates a directory that jobs of every user can write to.
  static void openToAll(Path directory) throws IOException {
    Files.createDirectories(directory);
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
  }

  JobStream start() {
    thread.start();
    return this;
  }

  private void run() {
    try {
      int next = 0;
      while (!closed.await(150, TimeUnit.MILLISECONDS)) {
        if (next < AHEAD || Files.exists(directory.resolve("stream-" + (next - AHEAD)))) {
          accepted.add(submit("stream-" + next));
          next++;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  private String submit(String id) {
    JobSpec spec = JobSpec.of(queue, List.of("sh", "-c", SCRIPT, directory.toString(), id));
    return jobs.submit(new Submission(spec, id, null)).id();
  }

  /// Submits one more and waits until it runs.
  ///
  /// @return when it was seen to, in milliseconds of the wall clock: its own may be wrong
  long runOne(String id) {
    accepted.add(submit(id));
    await()
        .atMost(Schedulers.PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> Files.exists(directory.resolve(id)) && !lines(id).isEmpty());
    return System.currentTimeMillis();
  }

  private List<String> lines(String id) {
    try {
      return Files.readAllLines(directory.resolve(id));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /// Nothing more is submitted.
  void end() throws InterruptedException {
    closed.countDown();
    thread.join();
  }

  /// Waits until all is done, then judges.
  void check() throws InterruptedException {
    end();
    assertThat(failure).as("the stream of jobs").isNull();
    await()
        .atMost(Schedulers.PATIENCE)
        .ignoreExceptions()
        .until(() -> jobs.listAll(JobFilter.ALL).stream().allMatch(job -> job.state().isFinal()));
    List<Job> known = jobs.listAll(JobFilter.ALL);
    assertThat(known).extracting(Job::id).as("accepted and known").containsAll(accepted);
    assertThat(known).extracting(Job::state).as("what became of them").containsOnly(JobState.DONE);
    assertThat(directory.resolve("twice")).as("jobs that ran twice at a time").doesNotExist();
    assertThat(directory.resolve("shared")).as("GPUs that two jobs had").doesNotExist();
    List<String> wrong = new ArrayList<>();
    for (Job job : known) {
      List<String> lines = Files.exists(directory.resolve(job.id())) ? lines(job.id()) : List.of();
      if (lines.size() != 2 || !lines.getLast().equals("end")) {
        wrong.add(job.id() + ", attempt " + job.attempt() + ": " + lines);
      }
    }
    assertThat(wrong).as("jobs that did not run exactly once").isEmpty();
  }

  /// How many were accepted.
  int size() {
    return accepted.size();
  }
}
