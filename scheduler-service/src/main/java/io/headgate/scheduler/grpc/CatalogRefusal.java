package io.headgate.scheduler.grpc;

import io.headgate.kit.failure.Refusal;
import java.util.function.Supplier;

/// A refusal that is only as right as the catalog that it was judged by; see [CatalogJudge]. The
/// text of the refusal may take a search for similar names, so it is made when the refusal is read.
final class CatalogRefusal extends RuntimeException {
  private static final long serialVersionUID = 1;

  @SuppressWarnings("serial") // Never serialized.
  private final Supplier<Refusal> refusal;

  private final boolean restsOnSupply;

  private CatalogRefusal(Supplier<Refusal> refusal, boolean restsOnSupply) {
    super("refused by the catalog", null, false, false);
    this.refusal = refusal;
    this.restsOnSupply = restsOnSupply;
  }

  /// It rests on queues, policies and groups alone.
  static CatalogRefusal byAccess(Supplier<Refusal> refusal) {
    return new CatalogRefusal(refusal, false);
  }

  /// It rests on hardware too.
  static CatalogRefusal byAll(Supplier<Refusal> refusal) {
    return new CatalogRefusal(refusal, true);
  }

  /// Makes the refusal, which may take milliseconds.
  Refusal refusal() {
    return refusal.get();
  }

  boolean restsOnSupply() {
    return restsOnSupply;
  }
}
