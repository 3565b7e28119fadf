package io.headgate.agent.runtime.pod;

import io.headgate.agent.kubernetes.PodApi;
import io.headgate.agent.kubernetes.PodRequest;
import io.headgate.agent.kubernetes.PodState;
import io.headgate.agent.process.SupervisorLauncher;
import io.headgate.agent.process.SupervisorLauncher.Result;
import io.headgate.agent.runtime.attempt.Workload;
import io.headgate.agent.runtime.ledger.Failpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The way of a pod from a request to a supervisor that has begun, which is seen in the attempt's
/// directory; why it does not begin, only the API server knows. Confined to the attempt's thread.
final class PodStart {
  static final Duration GLANCE = Duration.ofMillis(50);

  /// The API server is asked less often than the directory is read.
  static final Duration LOOK = Duration.ofMillis(500);

  private static final Logger LOG = LoggerFactory.getLogger(PodStart.class);
  private static final long GLANCES_PER_LOOK = LOOK.dividedBy(GLANCE);

  private final AttemptPod pod;
  private final Request request;
  private final Workload.StartConditions conditions;
  private final long begunNanos;
  private Optional<String> problem = Optional.empty();
  private PodState.Wait problemKind = PodState.Wait.NOTHING;
  private long problemNanos;

  /// Makes the pod's request when it is needed.
  @FunctionalInterface
  interface Request {
    PodRequest make() throws IOException;
  }

  PodStart(AttemptPod pod, Request request, Workload.StartConditions conditions) {
    this.pod = pod;
    this.request = request;
    this.conditions = conditions;
    this.begunNanos = nanos();
  }

  /// Waits until its supervisor has begun, or never will.
  Result await() {
    for (int glance = 0; !pod.hasStarted(); glance++) {
      if (conditions.isAbandoned()) {
        return new Result.Abandoned();
      }
      if (glance % GLANCES_PER_LOOK == 0) {
        Optional<Result> result = look();
        if (result.isPresent()) {
          return result.get();
        }
      }
      conditions.pause(GLANCE);
    }
    return new Result.Started();
  }

  /// Asks the API server for its pod, and then for how that is doing.
  private Optional<Result> look() {
    try {
      Optional<String> uid = pod.uid();
      if (uid.isEmpty()) {
        PodState made = pod.parts().api().create(request.make());
        Failpoint.AFTER_POD_CREATE.reach();
        pod.parts().ledger().recordPod(pod.key(), made.uid());
        return tooLate();
      }
      Optional<PodState> state = pod.find().filter(found -> found.uid().equals(uid.get()));
      // A status that its supervisor wrote before it ended counts.
      return pod.hasStarted() ? Optional.empty() : judge(state);
    } catch (PodApi.RefusedException e) {
      return Optional.of(new Result.Rejected("the API server refuses its pod: " + e.getMessage()));
    } catch (IOException e) {
      var _ = waitsFor(PodState.Wait.NOTHING, String.valueOf(e.getMessage()));
      return tooLate();
    }
  }

  private Optional<Result> judge(Optional<PodState> known) {
    if (known.isEmpty()) {
      return Optional.of(new Result.Rejected("its pod was deleted before it started"));
    }
    PodState state = known.get();
    if (state.over()) {
      return Optional.of(unstarted(state));
    }
    Duration patience = pod.parts().settings().pullPatience();
    String words = state.waitingWords();
    boolean isOver =
        switch (state.waitsFor()) {
          case NOTHING -> false;
          case NO_IMAGE -> true;
          case IMAGE, NODE -> waitsFor(state.waitsFor(), words).compareTo(patience) > 0;
        };
    if (!isOver) {
      return tooLate();
    }
    return Optional.of(
        state.waitsFor() == PodState.Wait.NODE
            ? new Result.Rejected("its container cannot be made: " + words)
            : new Result.Failed("its image is not available: " + words));
  }

  /// Records the reason why it waits, and returns how long it has waited for reasons of this kind.
  ///
  /// @param kind `NOTHING`: for the API server
  private Duration waitsFor(PodState.Wait kind, String words) {
    long now = nanos();
    if (problem.isEmpty() || kind != problemKind) {
      LOG.info("the pod of {} waits: {}", pod.key(), words);
      problemKind = kind;
      problemNanos = now;
    }
    problem = Optional.of(words);
    return Duration.ofNanos(now - problemNanos);
  }

  private Optional<Result> tooLate() {
    Duration patience = pod.parts().settings().startPatience();
    if (Duration.ofNanos(nanos() - begunNanos).compareTo(patience) <= 0) {
      return Optional.empty();
    }
    return Optional.of(
        new Result.Rejected(
            "its pod did not start within %d s%s"
                .formatted(patience.toSeconds(), problem.map(": "::concat).orElse(""))));
  }

  /// Its supervisor says by its exit code why it did not start; without one it was not asked.
  private static Result unstarted(PodState pod) {
    if (pod.exitCode().isEmpty()) {
      return new Result.Rejected(pod.explanation());
    }
    return switch (pod.exitCode().getAsInt()) {
      case SupervisorLauncher.TOO_LATE -> new Result.TooLate();
      case SupervisorLauncher.ALREADY_STARTED -> new Result.AlreadyStarted();
      default -> new Result.Failed(pod.explanation());
    };
  }

  private long nanos() {
    return pod.parts().time().monotonicNanos();
  }
}
