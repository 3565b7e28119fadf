package io.headgate.scheduler.grpc;

import io.headgate.kit.failure.Refusal;
import io.headgate.scheduler.runtime.catalog.CatalogSource;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.FreshCatalog;
import io.headgate.scheduler.runtime.leadership.LeaderDoor;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;

/// Validates requests against this replica's copy of the catalog, which lags behind its services by
/// milliseconds. A request that passes needs no second check. Before a refusal, the judge asks the
/// services for their current catalog. If it differs, the request is validated again. So a
/// configuration can be used with the first call after it was applied.
final class CatalogJudge {
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final LeaderDoor door;

  CatalogJudge(LeaderDoor door) {
    this.door = door;
  }

  /// Calls `attempt`, which must change nothing when it throws [CatalogRefusal]. May block. An
  /// attempt that must not block is made by [#known], and again by [#refresh] when it is refused.
  ///
  /// @throws io.headgate.kit.failure.RefusalException what the attempt was refused for; UNAVAILABLE
  ///   with reason CATALOG_BEHIND when it cannot be known whether that is still so
  <T> T judge(Function<CatalogView, T> attempt) {
    try {
      return attempt.apply(known());
    } catch (CatalogRefusal first) {
      FreshCatalog fresh = refresh(first);
      try {
        return attempt.apply(fresh.catalog());
      } catch (CatalogRefusal second) {
        throw refused(second, fresh);
      }
    }
  }

  /// This replica's copy of the catalog, for a first attempt. Does not block.
  CatalogView known() {
    return Refusals.leading(true, door::catalog);
  }

  /// The services' current catalog, for a second attempt. Blocks for milliseconds, or for seconds
  /// when a service does not answer.
  ///
  /// @throws io.headgate.kit.failure.RefusalException UNAVAILABLE with reason CATALOG_BEHIND when
  ///   it cannot be known whether the refusal of the first attempt still stands
  FreshCatalog refresh(CatalogRefusal first) {
    FreshCatalog fresh = Refusals.leading(true, door::freshCatalog);
    if (isSilent(fresh.silent(), first)) {
      throw behind(first.refusal()).exception();
    }
    return fresh;
  }

  /// The final refusal after a second attempt by `fresh`.
  RuntimeException refused(CatalogRefusal second, FreshCatalog fresh) {
    return (isSilent(fresh.silent(), second) ? behind(second.refusal()) : second.refusal())
        .exception();
  }

  private static boolean isSilent(Set<String> silent, CatalogRefusal refusal) {
    return silent.contains(CatalogSource.ACCESS)
        || (refusal.restsOnSupply() && silent.contains(CatalogSource.SUPPLY));
  }

  private static Refusal behind(Refusal refusal) {
    return Refusal.unavailable(
            "CATALOG_BEHIND",
            "as far as is known: "
                + refusal.message()
                + "; whether that is still so cannot be found out now, because the service that"
                + " knows does not answer; try again",
            RETRY)
        .withMetadata("reason", refusal.reason());
  }
}
