package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.explain.LaneId;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.Phase;
import io.headgate.scheduler.runtime.record.WaitHistory;
import io.headgate.scheduler.runtime.record.WaitHistory.Since;
import io.headgate.scheduler.runtime.text.ReasonRule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Remembers why lanes have waited, and why single jobs have waited for reasons of their own. So
/// the wait of a job is cut into periods when it ends, and nothing is written for it before. Every
/// change is durable with its turn. Confined to the loop.
final class WaitBook {
  /// A job with reasons of its own waits with its lane again from here on.
  private static final String LANE = "LANE";

  /// The job came back from an attempt that did not run, and waits with its lane from here on.
  private static final String RETURNED = "RETURNED";

  /// A job with reasons of its own has slices again from here on.
  private static final String HAS_SLICES = "HAS_SLICES";

  /// Waited before its lane was told a reason.
  private static final String PENDING = "PENDING";

  /// Lanes without waiting jobs are forgotten above this number, the oldest first.
  private static final int MOST_LANES = 10_000;

  /// How many of the oldest lanes are looked at for one to forget.
  private static final int LOOKED_AT = 16;

  private final SchedulerCore core;
  private final Map<LaneId, WaitHistory> lanes = new LinkedHashMap<>();
  private final Map<JobId, WaitHistory> jobs = new HashMap<>();

  /// Changed in this turn, by subject.
  private final Map<String, WaitHistory> changed = new LinkedHashMap<>();

  WaitBook(SchedulerCore core) {
    this.core = core;
  }

  /// Takes what earlier leaders stored. Reasons that have changed in between count from `now` on.
  void load(List<WaitHistory> stored, JobRegistry registry, Instant now) {
    Map<String, WaitHistory> bySubject = new HashMap<>();
    stored.forEach(each -> bySubject.put(key(each.tenant(), each.subject()), each));
    Map<String, LaneId> known = new HashMap<>();
    for (JobRecord job : registry.jobs()) {
      core.laneOf(job.job().spec())
          .ifPresent(lane -> known.putIfAbsent(key(lane.queue().tenant(), subject(lane)), lane));
      WaitHistory own = bySubject.remove(key(job.tenant(), subject(job.id())));
      if (own != null) {
        jobs.put(job.id(), own);
      }
    }
    known.forEach((key, lane) -> {
      WaitHistory history = bySubject.remove(key);
      if (history != null) {
        lanes.put(lane, history);
      }
      core.toldReason(lane).ifPresent(reason -> put(lane, since(now, reason)));
    });
    // These lanes and jobs are gone.
    bySubject.values().forEach(each -> change(each.cleared()));
  }

  /// The lane waits for this reason from now on.
  void waits(LaneId lane, Reason reason, Instant now) {
    put(lane, since(now, reason));
  }

  /// The job waits for this reason from now on, and not for that of its lane.
  void waits(JobRecord job, Reason reason, Instant now) {
    boolean isOwn =
        switch (reason) {
          case Reason.AfterJobs _,
              Reason.NotBefore _,
              Reason.Holding _,
              Reason.WaitingForVictims _,
              Reason.BackingOff _,
              Reason.Suspended _ ->
              true;
          default -> false;
        };
    if (isOwn) {
      put(job, since(now, reason));
    } else {
      waitsWithItsLane(job, now);
    }
  }

  /// The job waits with its lane again.
  void waitsWithItsLane(JobRecord job, Instant now) {
    if (jobs.containsKey(job.id())) {
      put(job, new Since(now, LANE, ""));
    }
  }

  /// The job waits anew after an attempt.
  ///
  /// @param ran otherwise it still counts as waiting since it was submitted
  void returned(JobRecord job, boolean ran, Instant now) {
    if (!ran) {
      put(job, new Since(now, RETURNED, ""));
    }
    core.reason(job.id()).ifPresent(reason -> waits(job, reason, now));
  }

  /// The job is suspended from now on: it waits for its slices.
  void suspended(JobRecord job, Instant now) {
    put(job, new Since(now, "SUSPENDED", ""));
  }

  /// The suspended job has its slices again.
  void resumed(JobRecord job, Instant now) {
    put(job, new Since(now, HAS_SLICES, ""));
  }

  /// The last of the job's own marks that says since when it is suspended, or since when it is no
  /// longer; empty: it was not suspended in this attempt.
  Optional<Suspension> suspension(JobId job) {
    WaitHistory own = jobs.get(job);
    if (own == null) {
      return Optional.empty();
    }
    Since last = own.reasons().getLast();
    return switch (last.reason()) {
      case "SUSPENDED" -> Optional.of(new Suspension(last.at(), true, count(own)));
      case HAS_SLICES -> Optional.of(new Suspension(last.at(), false, count(own)));
      default -> Optional.empty();
    };
  }

  private static int count(WaitHistory own) {
    return (int) own.reasons().stream().filter(each -> each.reason().equals("SUSPENDED")).count();
  }

  /// @param since when it began, or when it was over
  /// @param count of suspensions so far
  record Suspension(Instant since, boolean isSuspended, int count) {}

  /// The periods of a wait, one for each reason. Periods without length are left out.
  List<Phase> periods(JobRecord job, Instant to) {
    List<Since> reasons = new ArrayList<>();
    WaitHistory own = jobs.get(job.id());
    Instant from = began(job, own);
    WaitHistory lane = core.laneOf(job.job().spec()).map(lanes::get).orElse(null);
    List<Since> ofLane = lane == null ? List.of() : lane.reasons();
    if (own == null) {
      reasons.addAll(ofLane);
    } else {
      addUntil(reasons, ofLane, Instant.MIN, own.reasons().getFirst().at());
      for (int i = 0; i < own.reasons().size(); i++) {
        Since each = own.reasons().get(i);
        Instant until = i + 1 < own.reasons().size() ? own.reasons().get(i + 1).at() : to;
        if (each.reason().equals(LANE) || each.reason().equals(RETURNED)) {
          addUntil(reasons, ofLane, each.at(), until);
        } else {
          reasons.add(each);
        }
      }
    }
    return cut(reasons, from, to);
  }

  private static Instant began(JobRecord job, @Nullable WaitHistory own) {
    return own != null && own.reasons().getFirst().reason().equals(RETURNED)
        ? own.reasons().getFirst().at()
        : job.job().waitingSince();
  }

  /// Adds what holds at `from` and what begins to hold before `until`.
  private static void addUntil(List<Since> to, List<Since> lane, Instant from, Instant until) {
    Since before = new Since(from, "", "");
    for (Since each : lane) {
      if (!each.at().isAfter(from)) {
        before = new Since(from, each.reason(), each.rule());
      }
    }
    if (from.isAfter(Instant.MIN)) {
      to.add(before);
    }
    lane.stream()
        .filter(each -> each.at().isAfter(from) && each.at().isBefore(until))
        .forEach(to::add);
  }

  private static List<Phase> cut(List<Since> reasons, Instant from, Instant to) {
    List<Phase> periods = new ArrayList<>();
    Since current = new Since(from, PENDING, "");
    for (Since next : reasons) {
      if (next.at().isAfter(to)) {
        break;
      }
      if (next.at().isAfter(from)) {
        add(periods, current, from, next.at());
      }
      Instant begin = next.at().isAfter(from) ? next.at() : from;
      current = new Since(begin, next.reason().isEmpty() ? PENDING : next.reason(), next.rule());
    }
    add(periods, current, from, to);
    return periods;
  }

  private static void add(List<Phase> periods, Since reason, Instant from, Instant end) {
    Instant begin = reason.at().isAfter(from) ? reason.at() : from;
    if (begin.isBefore(end)) {
      Map<String, String> details =
          reason.rule().isEmpty()
              ? Map.of("reason", reason.reason())
              : Map.of("reason", reason.reason(), "rule", reason.rule());
      periods.add(new Phase(Phase.Kind.WAIT, 0, begin, Optional.of(end), details));
    }
  }

  /// The job no longer waits: its own reasons are forgotten, and those of its lane end if it was
  /// the last there.
  void left(JobRecord job, Instant now) {
    forget(job);
    core.laneOf(job.job().spec())
        .filter(lanes::containsKey)
        .filter(lane -> core.toldReason(lane).isEmpty())
        .ifPresent(lane -> put(lane, new Since(now, "", "")));
  }

  void forget(JobRecord job) {
    WaitHistory own = jobs.remove(job.id());
    if (own != null) {
      change(own.cleared());
    }
  }

  /// Changes that this turn has to store; empties the list.
  List<WaitHistory> takeChanged() {
    List<WaitHistory> all = List.copyOf(changed.values());
    changed.clear();
    return all;
  }

  private void put(LaneId lane, Since since) {
    WaitHistory before =
        lanes.getOrDefault(lane, new WaitHistory(lane.queue().tenant(), subject(lane), List.of()));
    WaitHistory after = before.with(since);
    if (!after.equals(before)) {
      lanes.put(lane, after);
      change(after);
      if (lanes.size() > MOST_LANES) {
        lanes.entrySet().stream()
            .limit(LOOKED_AT)
            .filter(each -> core.toldReason(each.getKey()).isEmpty())
            .findFirst()
            .ifPresent(oldest -> {
              lanes.remove(oldest.getKey());
              change(oldest.getValue().cleared());
            });
      }
    }
  }

  private void put(JobRecord job, Since since) {
    WaitHistory before =
        jobs.getOrDefault(job.id(), new WaitHistory(job.tenant(), subject(job.id()), List.of()));
    WaitHistory after = before.with(since);
    if (!after.equals(before)) {
      jobs.put(job.id(), after);
      change(after);
    }
  }

  private void change(WaitHistory history) {
    changed.put(key(history.tenant(), history.subject()), history);
  }

  private static Since since(Instant now, Reason reason) {
    return new Since(now, reason.code(), ReasonRule.of(reason));
  }

  private static String subject(LaneId lane) {
    return "lane/%s/%s/%s/%s"
        .formatted(
            lane.queue().name(),
            lane.preemptible() ? "preemptible" : "kept",
            lane.exceedsLimit() ? "exceeds" : "within",
            lane.user().map(user -> user.name()).orElse(""));
  }

  private static String subject(JobId job) {
    return "job/" + job.value();
  }

  private static String key(TenantId tenant, String subject) {
    return tenant.name() + "/" + subject;
  }
}
