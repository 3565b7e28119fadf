package io.headgate.scheduler.grpc;

import io.headgate.kit.failure.Refusal;

/// A refusal that is only as right as the catalog that it was judged by; see [CatalogJudge].
final class CatalogRefusal extends RuntimeException {
  private static final long serialVersionUID = 1;

  @SuppressWarnings("serial") // Thrown and caught on one thread.
  private final Refusal refusal;

  private final boolean restsOnSupply;

  private CatalogRefusal(Refusal refusal, boolean restsOnSupply) {
    super(refusal.message(), null, false, false);
    this.refusal = refusal;
    this.restsOnSupply = restsOnSupply;
  }

  /// It rests on queues, policies and groups alone.
  static CatalogRefusal byAccess(Refusal refusal) {
    return new CatalogRefusal(refusal, false);
  }

  /// It rests on hardware too.
  static CatalogRefusal byAll(Refusal refusal) {
    return new CatalogRefusal(refusal, true);
  }

  Refusal refusal() {
    return refusal;
  }

  boolean restsOnSupply() {
    return restsOnSupply;
  }
}
