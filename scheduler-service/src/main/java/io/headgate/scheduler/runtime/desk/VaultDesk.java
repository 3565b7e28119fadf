package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.VaultRules;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobRecord.DraftCause;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;

/// Checks accepted jobs again when vaults change. The jobs' documents are in the database, so the
/// loop hands out pages of job ids. Another thread reads and judges them, one page at a time, and
/// the loop applies the verdicts. Confined to the loop.
///
/// The progress is not stored. A new leader does not know which vaults a job was judged by, so it
/// starts with all jobs whose group has vaults. When vaults change, it adds the jobs of each queue
/// whose rules differ.
public final class VaultDesk {
  /// Jobs that are read together, and at most become drafts together.
  public static final int PAGE = 500;

  private final LeaderState state;

  /// The rules by which each queue's jobs were judged, or are judged once no page is left. Holds no
  /// queue without rules.
  private final Map<TenantId, Map<QueueId, VaultRules>> vaults = new HashMap<>();

  /// Ids of jobs to judge, ascending, from `next` on.
  private long[] left = {};

  private int next;

  /// Ids of jobs accepted meanwhile, which are judged after `left`.
  private final List<Long> late = new ArrayList<>();

  private boolean isPageOut;

  /// Jobs, each with the vault rules to judge it by.
  public record Page(List<Item> items) {
    public Page {
      items = List.copyOf(items);
    }
  }

  public record Item(JobId job, VaultRules vaults) {}

  public VaultDesk(LeaderState state) {
    this.state = state;
    moved(state.catalogs.tenants());
  }

  /// The rights of these tenants moved.
  void moved(Collection<TenantId> tenants) {
    Set<QueueId> moved = new HashSet<>();
    for (TenantId tenant : tenants) {
      Map<QueueId, VaultRules> now = new HashMap<>();
      for (Queue queue : state.catalog.queues(tenant)) {
        vaults(queue.id()).ifPresent(each -> now.put(queue.id(), each));
      }
      Map<QueueId, VaultRules> before =
          Objects.requireNonNullElse(vaults.put(tenant, now), Map.of());
      now.forEach((queue, rules) -> {
        if (!rules.equals(before.get(queue))) {
          moved.add(queue);
        }
      });
      before.keySet().stream().filter(queue -> !now.containsKey(queue)).forEach(moved::add);
    }
    if (!moved.isEmpty()) {
      state.jobs.liftBars(moved);
      LongStream.Builder unjudged = LongStream.builder();
      for (JobRecord job : state.jobs.jobs()) {
        if (moved.contains(queue(job)) || isLeft(job.id())) {
          unjudged.add(job.id().value());
        }
      }
      left = unjudged.build().sorted().toArray();
      next = 0;
    }
  }

  /// A job arrives that the endpoint checked against the vaults of that moment. They may have
  /// changed since.
  void taken(JobId job, QueueId queue, CatalogView then) {
    if (then != state.catalog && !then.vaults(queue).equals(state.catalog.vaults(queue))) {
      late.add(job.value());
    }
  }

  private boolean isLeft(JobId job) {
    return Arrays.binarySearch(left, next, left.length, job.value()) >= 0;
  }

  private static QueueId queue(JobRecord job) {
    return job.job().spec().queue();
  }

  /// The rules for the queue's jobs; empty: none, or unknown.
  private Optional<VaultRules> vaults(QueueId queue) {
    return state.catalog.vaults(queue).filter(rules -> !rules.isEmpty());
  }

  /// Whether there are jobs to be judged and no page is out.
  public boolean isDue() {
    return !isPageOut && (next < left.length || !late.isEmpty());
  }

  /// The next page to judge; empty while another page is being judged.
  public Optional<Page> next() {
    if (!isDue()) {
      return Optional.empty();
    }
    if (!late.isEmpty()) {
      LongStream before = Arrays.stream(left, next, left.length);
      left =
          LongStream.concat(before, late.stream().mapToLong(id -> id))
              .distinct()
              .sorted()
              .toArray();
      next = 0;
      late.clear();
    }
    List<Item> items = new ArrayList<>();
    while (next < left.length && items.size() < PAGE) {
      JobId id = new JobId(left[next++]);
      state
          .jobs
          .job(id)
          .flatMap(job -> vaults(queue(job)))
          .ifPresent(rules -> items.add(new Item(id, rules)));
    }
    isPageOut = !items.isEmpty();
    return isPageOut ? Optional.of(new Page(items)) : Optional.empty();
  }

  /// Applies the verdicts on a page. A waiting job that is forbidden becomes a draft. A job that
  /// has started goes on, suspended or not, but does not return to its queue. A verdict by outdated
  /// rules is ignored, because a later page contains the job again.
  public void judged(LoopTurn turn, Command.Judged judged) {
    isPageOut = false;
    for (Item item : judged.page().items()) {
      DraftCause draft = judged.forbidden().get(item.job());
      Optional<JobRecord> job = state.jobs.job(item.job());
      if (draft != null
          && job.isPresent()
          && state.catalog.vaults(queue(job.get())).equals(Optional.of(item.vaults()))) {
        if (job.get().state() == JobState.WAITING) {
          turn.withdraw(job.get(), draft);
        } else {
          state.jobs.bar(job.get().id(), draft);
        }
      }
    }
  }

  /// A worker was not handed over. Its attempt is stopped although it was not sent, because an
  /// agent may have been told by another message, and its job does not go back to its queue. A
  /// stopped job whose queue or policy has gone does not go back either. If vaults have changed
  /// since, the worker is handed over once more, and checked against the present vaults.
  public void barred(LoopTurn turn, Command.Barred barred) {
    Optional<AttemptRecord> attempt = state.jobs.attempt(barred.key().attempt());
    if (attempt.isEmpty()) {
      return;
    }
    JobRecord job = state.jobs.job(attempt.get().id().job()).orElseThrow();
    int worker = barred.key().worker();
    Optional<String> untellable = state.untellable(attempt.get(), worker);
    if (state.catalog.vaults(queue(job)).equals(barred.vaults())) {
      barred.draft().ifPresent(draft -> state.jobs.bar(job.id(), draft));
      turn.inputs.add(new Input.JobRequeued(job.job()));
    } else if (untellable.isPresent()) {
      turn.inputs.add(new Input.WorkerUndelivered(attempt.get().id(), worker, untellable.get()));
    } else if (attempt.get().isUntold(worker)) {
      turn.dispatches.add(state.orders.run(turn, job, attempt.get(), worker, state.catalog));
    }
  }
}
