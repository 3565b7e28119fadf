package io.headgate.deploy.demo;

import io.headgate.sdk.model.Attempt.Preemption;
import io.headgate.sdk.model.Event;
import io.headgate.sdk.model.Placement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Turns the events of the demo into sentences. It adds nothing to the scheduler's reports; it only
/// remembers where a job was and why it had to go, so that a later event can be told in full.
///
/// Starts are told in the order of the decisions, whichever machine reports first. A reader
/// understands that a pool is full only after reading which jobs run in it. A start that is
/// reported early waits for the starts decided before it, unless its job has a further event
/// meanwhile.
///
/// For one thread.
final class Story {
  /// Events that follow a job's start, or replace a start that does not happen.
  private static final Set<Event.Type> AFTER_A_START =
      EnumSet.of(
          Event.Type.PREEMPTED,
          Event.Type.STOP_PHASE,
          Event.Type.REQUEUED,
          Event.Type.QUEUED,
          Event.Type.FINISHED);

  private final String firstPool;
  private final Map<String, String> placeOf = new HashMap<>();
  private final Map<String, String> poolOf = new HashMap<>();

  /// Sentences on starts that were decided but are not told yet, by job, in the order of the
  /// decisions. A sentence is empty until the start is reported.
  private final Map<String, String> starting = new LinkedHashMap<>();

  private final Set<String> preempted = new HashSet<>();
  private final Set<String> overflowed = new HashSet<>();

  /// @param firstPool the pool that jobs are routed to first; any other is the overflow
  Story(String firstPool) {
    this.firstPool = firstPool;
  }

  /// The sentences that an event allows; none when it adds nothing to the story.
  List<String> tell(Event event) {
    List<String> told = new ArrayList<>();
    if (event.type() == Event.Type.ASSIGNED) {
      starting.put(event.job(), "");
    } else if (event.type() == Event.Type.STARTED) {
      String sentence = started(event);
      if (starting.replace(event.job(), sentence) == null) {
        told.add(sentence);
      }
    } else if (AFTER_A_START.contains(event.type())) {
      String early = starting.remove(event.job());
      if (early != null && !early.isEmpty()) {
        told.add(early);
      }
    }
    Iterator<String> inOrder = starting.values().iterator();
    while (inOrder.hasNext()) {
      String sentence = inOrder.next();
      if (sentence.isEmpty()) {
        break;
      }
      told.add(sentence);
      inOrder.remove();
    }
    sentence(event).ifPresent(told::add);
    return told;
  }

  private Optional<String> sentence(Event event) {
    return switch (event.type()) {
      case SUBMITTED -> Optional.of(line(event, "is submitted to " + event.queue()));
      case STARTED -> Optional.empty(); // Starts are told in the order of their decisions.
      case STOPPING, SUSPENDED, RESUMED -> Optional.of(line(event, withoutSubject(event)));
      case PREEMPTED -> Optional.of(preempted(event));
      case STOP_PHASE -> callback(event);
      case REQUEUED -> Optional.of(line(event, "waits again, in its old place"));
      case FINISHED -> Optional.of(finished(event));
      case REASON_CHANGED ->
          event.message().isBlank() || preempted.contains(event.job())
              ? Optional.empty()
              : Optional.of(line(event, withoutSubject(event)));
      case NODE_CONNECTED, NODE_CLOSING, NODE_SUSPECT, NODE_SET_ASIDE, NODE_LOST ->
          Optional.of(node(event));
      case DEVICE_CHANGED, BUDGET, UPDATED -> Optional.of(line(event, event.message()));
      case ASSIGNED, QUEUED, UNKNOWN -> remember(event);
    };
  }

  /// The sentence for a resumed attempt, told when its program says from where it goes on.
  String resumed(String job, String epoch) {
    return line(job, "continues from its checkpoint: epoch " + epoch);
  }

  /// Ids of the jobs that were preempted so far.
  Set<String> preemptedJobs() {
    return Set.copyOf(preempted);
  }

  /// Ids of the jobs that ran in another pool than the first.
  Set<String> overflowedJobs() {
    return Set.copyOf(overflowed);
  }

  private Optional<String> remember(Event event) {
    if (!event.placements().isEmpty()) {
      placeOf.put(event.job(), place(event.placements()));
    }
    if (!event.pool().isEmpty()) {
      poolOf.put(event.job(), event.pool());
    }
    return Optional.empty();
  }

  private String started(Event event) {
    remember(event);
    String where = placeOf.getOrDefault(event.job(), event.node());
    StringBuilder text = new StringBuilder("runs on ").append(where);
    String pool = poolOf.getOrDefault(event.job(), "");
    if (!pool.isEmpty()) {
      text.append(" in ").append(pool);
      if (!pool.equals(firstPool)) {
        overflowed.add(event.job());
        text.append(", because ").append(firstPool).append(" is full");
      }
    }
    if (event.attempt() > 1) {
      text.append(" (attempt ").append(event.attempt()).append(')');
    }
    return line(event, text.toString());
  }

  private String preempted(Event event) {
    preempted.add(event.job());
    Preemption by = event.preemption();
    if (by == null) {
      return line(event, "is asked to stop: " + event.message());
    }
    return line(event, "is asked to stop for " + by.byJob() + " (rule " + by.rule() + ")");
  }

  private Optional<String> callback(Event event) {
    if (!"callback".equals(event.detail().get("phase"))) {
      return Optional.empty();
    }
    String took =
        Optional.ofNullable(event.detail().get("duration"))
            .map(duration -> " in " + duration)
            .orElse("");
    return Optional.of(line(event, "saved its work in its abort callback" + took));
  }

  private static String finished(Event event) {
    String state = event.detail().getOrDefault("state", "ended").toLowerCase(Locale.ROOT);
    return line(event, "is " + state);
  }

  private static String node(Event event) {
    String what =
        switch (event.type()) {
          case NODE_CONNECTED -> "connected";
          case NODE_CLOSING -> "is being shut down";
          case NODE_SET_ASIDE -> "gets no work for a while";
          case NODE_SUSPECT -> "is out of contact";
          default -> "is given up";
        };
    return line(event.node(), what);
  }

  private static String place(List<Placement> placements) {
    return placements.stream()
        .map(placement ->
            placement.slices().isEmpty()
                ? placement.node()
                : placement.node()
                    + " device "
                    + placement.slices().stream()
                        .map(slice -> slice.deviceIndex() + " (" + slice.gpus() + ")")
                        .collect(Collectors.joining(", ")))
        .collect(Collectors.joining("; "));
  }

  // The scheduler's sentences begin with the job, which the margin names already.
  private static String withoutSubject(Event event) {
    String prefix = event.job() + " ";
    return event.message().startsWith(prefix)
        ? event.message().substring(prefix.length())
        : event.message();
  }

  private static String line(Event event, String text) {
    return line(event.job(), text);
  }

  private static String line(String subject, String text) {
    return String.format(Locale.ROOT, "%-10s %s", subject, text);
  }

  /// `3.2 s`, right-aligned, as the margin of a line.
  static String margin(Duration since) {
    return String.format(Locale.ROOT, "%7.1f s", since.toMillis() / 1000.0);
  }
}
