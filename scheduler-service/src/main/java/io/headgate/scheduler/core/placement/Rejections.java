package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.job.Rejection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The jobs that a node rejected since it accepted a job, and until when it is set aside for that.
public final class Rejections {
  /// Jobs that are kept as evidence, the last ones.
  public static final int MAX_EVIDENCE = 8;

  private final List<Rejection> evidence = new ArrayList<>();
  private int timesAside;
  private Instant asideUntil = Instant.MIN;

  /// It rejected a job.
  public void add(Rejection rejection) {
    evidence.remove(rejection);
    if (evidence.size() == MAX_EVIDENCE) {
      evidence.removeFirst();
    }
    evidence.add(rejection);
  }

  /// Each job once, the latest last.
  public List<Rejection> evidence() {
    return evidence;
  }

  /// A job of the only user whose jobs it rejected; null: none, or jobs of several users.
  public @Nullable Rejection onlyAccuser() {
    if (evidence.isEmpty()) {
      return null;
    }
    Rejection first = evidence.getFirst();
    for (Rejection other : evidence) {
      if (!other.user().equals(first.user()) || !other.tenant().equals(first.tenant())) {
        return null;
      }
    }
    return first;
  }

  /// How often it was set aside in a row.
  public int timesAside() {
    return timesAside;
  }

  /// When it gets work again; empty: it is not set aside.
  public Optional<Instant> asideUntil() {
    return isAside() ? Optional.of(asideUntil) : Optional.empty();
  }

  boolean isAside() {
    return !asideUntil.equals(Instant.MIN);
  }

  /// Gives the node no work until then.
  public void setAside(Instant until, int inARow) {
    asideUntil = until;
    timesAside = inARow;
  }

  /// Gives the node work again; its rejections stay counted until it accepts some.
  public void takeBack() {
    asideUntil = Instant.MIN;
  }

  /// The node accepted a job, which refutes the evidence.
  public void refute() {
    timesAside = 0;
    evidence.clear();
  }
}
