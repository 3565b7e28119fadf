package io.headgate.sdk.client;

import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.LogPiece;
import io.headgate.sdk.model.StatusCode;
import java.time.Duration;

/// Follows one job from now to its end: its states, and the output of each attempt.
public final class JobFollower {
  private static final Duration FOR_EVER = Duration.ofDays(100_000);

  private final JobClient jobs;
  private final String id;
  private final Listener listener;

  JobFollower(JobClient jobs, String id, Listener listener) {
    this.jobs = jobs;
    this.id = id;
    this.listener = listener;
  }

  /// Receives changes and output. Different threads call the two methods.
  public interface Listener {
    /// The job changed; the first call has its present state.
    void changed(Job job);

    /// The current attempt printed output.
    void printed(LogPiece piece);
  }

  Job follow() {
    Job job = jobs.get(id);
    listener.changed(job);
    int shown = 0;
    try (JobTracker tracker = jobs.track(job, listener::changed)) {
      while (true) {
        if (job.attempt() > shown && hasOutput(job)) {
          shown = job.attempt();
          show(shown);
        }
        if (job.state().isFinal()) {
          return job;
        }
        int last = shown;
        job =
            tracker
                .await(
                    it -> it.state().isFinal() || (it.attempt() > last && hasOutput(it)), FOR_EVER)
                .orElseThrow(() -> new IllegalStateException("interrupted while following " + id));
      }
    }
  }

  private static boolean hasOutput(Job job) {
    return job.state() == JobState.RUNNING
        || job.state() == JobState.STOPPING
        || (job.state().isFinal() && job.attempt() > 0);
  }

  private void show(int attempt) {
    LogOptions options = LogOptions.ALL.withAttempt(attempt).withFollow(true);
    try (LogStream stream = jobs.logs(id, options)) {
      for (LogPiece piece = stream.next(); piece != null; piece = stream.next()) {
        listener.printed(piece);
      }
    } catch (HeadgateException e) {
      if (e.code() != StatusCode.NOT_FOUND) { // Lost output does not end the following.
        throw e;
      }
    }
  }
}
