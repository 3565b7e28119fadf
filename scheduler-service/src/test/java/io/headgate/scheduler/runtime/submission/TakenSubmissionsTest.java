package io.headgate.scheduler.runtime.submission;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.submission.Submission.RequestKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The leader remembers a submission for as long as a client may repeat it, and not for ever.
final class TakenSubmissionsTest {
  private static final Instant TAKEN = Instant.parse("2026-11-22T12:00:00Z");
  private static final RequestKey REQUEST = new RequestKey("alice", "request-1", "content");
  private static final TenantId ACME = new TenantId("acme");

  private final TakenSubmissions taken = new TakenSubmissions();

  private static Submission submission(String job) {
    return submission(job, Optional.of(REQUEST));
  }

  private static Submission submission(String job, Optional<RequestKey> request) {
    return new Submission(
        List.of(
            new Submission.NewJob(
                new JobName(ACME, job),
                new QueueId(ACME, "queue"),
                new UserId("alice"),
                "users/alice",
                false,
                0,
                Optional.empty(),
                Optional.empty(),
                Duration.ZERO,
                Optional.empty(),
                false,
                List.of(),
                "",
                Optional.empty(),
                List.of(),
                false,
                Document.of(new byte[0]))),
        request,
        List.of(),
        CatalogView.EMPTY);
  }

  private boolean hasName(String job) {
    return taken.hasNameOrIdOf(submission(job, Optional.empty()));
  }

  @Test
  void knowsARequestAndANameAgain() {
    taken.take(submission("train"), List.of(new JobId(7)), TAKEN);
    taken.forgetOld(TAKEN.plus(TakenSubmissions.REMEMBERED));
    assertThat(taken.jobs(REQUEST)).contains(List.of(new JobId(7)));
    assertThat(hasName("train")).isTrue();
    assertThat(hasName("other")).isFalse();
    assertThat(taken.hasNameOrIdOf(submission("other"))).as("the id").isTrue();
  }

  @Test
  void forgetsBothBeforeAnyJobIsForgotten() {
    taken.take(submission("train"), List.of(new JobId(7)), TAKEN);
    taken.take(submission("young"), List.of(new JobId(8)), TAKEN.plusSeconds(1));
    taken.forgetOld(TAKEN.plus(TakenSubmissions.REMEMBERED).plusMillis(1));
    assertThat(hasName("train")).isFalse();
    assertThat(hasName("young")).isTrue();
    taken.forgetOld(TAKEN.plus(Duration.ofDays(1)));
    assertThat(hasName("young")).isFalse();
    assertThat(taken.jobs(REQUEST)).isEmpty();
  }
}
