package io.headgate.scheduler.grpc;

import io.headgate.kit.decision.NearestWord;
import io.headgate.kit.failure.Refusal;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.desk.LeadershipLostException;
import io.headgate.scheduler.runtime.desk.WaitingBounds;
import io.headgate.scheduler.runtime.leadership.NotLeadingException;
import io.headgate.scheduler.runtime.leadership.QueueFullException;
import io.headgate.scheduler.runtime.text.ReasonText;
import io.headgate.type.Viewer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// The one switch from the scheduler's refusals to a caller's statuses.
final class Refusals {
  private static final Duration SOON = Duration.ofMillis(500);

  private static final String NO_LEADER = "NO_LEADER";

  private Refusals() {}

  /// Calls the leader, if it is this replica.
  ///
  /// @param isRepeatable a second try cannot take effect twice
  static <T> T leading(boolean isRepeatable, Supplier<T> call) {
    try {
      return call.get();
    } catch (NotLeadingException e) {
      Refusal refusal = noLeader();
      throw e.leaderAddress()
          .map(address -> refusal.withMetadata("leader", address))
          .orElse(refusal)
          .exception();
    } catch (QueueFullException e) {
      throw Refusal.exhausted(
              "QUEUE_FULL", "more waits to be decided than may; try again in a moment", SOON)
          .exception();
    } catch (LeadershipLostException e) {
      throw lost(isRepeatable, e);
    }
  }

  /// The error for a caller whose call got no answer from the leader.
  ///
  /// @param isRepeatable a second try cannot take effect twice
  static RuntimeException lost(boolean isRepeatable, Throwable failure) {
    return switch (failure) {
      case LeadershipLostException _ -> leaderLost(isRepeatable).exception();
      case RuntimeException other -> other;
      default -> new IllegalStateException("the loop failed", failure);
    };
  }

  /// The call took no effect: there is no leader, or it cannot be reached.
  static Refusal noLeader() {
    return Refusal.unavailable(
        NO_LEADER, "this scheduler does not lead now; trying again is safe", SOON);
  }

  /// For an agent's message that the loop may have had no room for.
  static void demandTaken(boolean taken) {
    if (!taken) {
      throw Refusal.unavailable(
              "NOT_TAKEN", "the message was not taken; connect again and repeat it", SOON)
          .exception();
    }
  }

  static boolean isNoLeader(Refusal refusal) {
    return refusal.reason().equals(NO_LEADER);
  }

  /// The leader went away before it answered.
  ///
  /// @param isRepeatable a second try cannot take effect twice
  static Refusal leaderLost(boolean isRepeatable) {
    return isRepeatable
        ? Refusal.unavailable(
            "LEADER_CHANGED", "the leader changed meanwhile; trying again is safe", SOON)
        : Refusal.conflict(
            "OUTCOME_UNKNOWN",
            "the leader changed meanwhile, and it is not known whether this took effect;"
                + " look before you repeat it (a submission with a request_id can be repeated)");
  }

  /// No such queue that the caller sees, with the nearest that it does see.
  ///
  /// @param at path of the job in the request: `` or `requests[17].`
  static Refusal unknownQueue(String at, QueueId id, CatalogView catalog, Viewer viewer) {
    List<String> known =
        catalog.queues(id.tenant()).stream()
            .filter(queue -> viewer.seesTeam(queue.policy().name()))
            .map(Queue::id)
            .map(QueueId::name)
            .sorted()
            .toList();
    Optional<String> near = NearestWord.of(id.name(), known);
    String advice =
        near.map(word -> "; did you mean '" + word + "'?")
            .orElse(
                !known.isEmpty()
                    ? ""
                    : viewer.seesAll()
                        ? "; the tenant has no queues yet"
                        : "; you may use no queue yet: ask an admin to add you to a group");
    String text =
        "queue '%s' does not exist in tenant %s%s".formatted(id.name(), id.tenant(), advice);
    Refusal refusal =
        Refusal.notFound("QUEUE_NOT_FOUND", text)
            .withViolation(at + "spec.queue", text)
            .withMetadata("queue", id.name());
    return near.map(word -> refusal.withMetadata("suggestion", word)).orElse(refusal);
  }

  /// A job that cannot be queued.
  ///
  /// @param ofUnknownQueue the refusal if its queue does not exist
  static Refusal denied(String at, QueueId queue, Denial denial, Supplier<Refusal> ofUnknownQueue) {
    if (denial instanceof Denial.UnknownQueue) {
      return ofUnknownQueue.get();
    }
    String text = "queue '%s': %s".formatted(queue.name(), ReasonText.sentence(denial));
    Refusal refusal =
        Refusal.failedPrecondition("NEVER_FITS", "the job could never start: " + text)
            .withViolation(at + "spec.queue", text)
            .withMetadata("queue", queue.name());
    for (Map.Entry<String, String> number : ReasonText.detail(denial).entrySet()) {
      refusal = refusal.withMetadata(number.getKey(), number.getValue());
    }
    return refusal;
  }

  /// A job with an image, in a queue that leads to a node that runs none.
  static Refusal withoutImages(String at, QueueId queue, Node node) {
    String text =
        ("queue '%s' leads to pool '%s', whose node %s runs no jobs with an image: its agent's log"
                + " says why; give the node podman, containerd or docker, use a queue whose pools run"
                + " such jobs, or keep the profile's jobs from such nodes (images: true)")
            .formatted(queue.name(), node.pool().name(), node.id().name());
    return Refusal.failedPrecondition("IMAGES_NOT_RUN", text)
        .withViolation(at + "spec.container", text)
        .withMetadata("queue", queue.name())
        .withMetadata("node", node.id().name());
  }

  /// A job with an image, in a queue that leads to a node where that one may not run.
  static Refusal imageNotAllowed(String at, QueueId queue, Node node, String problem) {
    String text =
        "queue '%s' leads to node %s of pool '%s': %s"
            .formatted(queue.name(), node.id().name(), node.pool().name(), problem);
    return Refusal.failedPrecondition("IMAGE_NOT_ALLOWED", text)
        .withViolation(at + "spec.container.image", text)
        .withMetadata("queue", queue.name())
        .withMetadata("node", node.id().name());
  }

  static Refusal tooManyWaiting(String at, QueueId queue, WaitingBounds.Met met) {
    String text =
        ("%s has as many waiting jobs as it may: %d of %d (bounds.waiting.%s); cancel some, or submit"
                + " more when some have started")
            .formatted(met.holder(), met.waiting(), met.most(), met.setting());
    return Refusal.exhausted("TOO_MANY_WAITING", text, Duration.ofSeconds(30))
        .withViolation(at + "spec.queue", text)
        .withMetadata("queue", queue.name())
        .withMetadata("waiting", met.waiting())
        .withMetadata("limit", met.most());
  }
}
