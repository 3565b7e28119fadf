package io.headgate.kit.db;

import java.util.Map;
import org.jooq.DSLContext;

/// The tenants whose rows a transaction sees and writes. Row-level security enforces it, whatever
/// the statements of the transaction ask for.
///
/// @param setting value of `headgate.tenant` in PostgreSQL
public record Reach(String setting) {
  /// Work of the service itself, which crosses tenants on purpose. Each use is a decision.
  public static final Reach EVERY_TENANT = new Reach("*");

  /// No tenant's rows.
  public static final Reach NO_TENANT = new Reach("");

  /// The settings of connections whose transactions all have this reach.
  public Map<String, String> asSettings() {
    return Map.of("headgate.tenant", setting);
  }

  /// Gives a running transaction this reach until its end.
  public void apply(DSLContext transaction) {
    transaction.fetch("select set_config('headgate.tenant', ?, true)", setting);
  }

  /// The rows of one tenant.
  public static Reach of(String tenant) {
    if (tenant.isBlank() || tenant.equals(EVERY_TENANT.setting)) {
      throw new IllegalArgumentException("'" + tenant + "' is no tenant");
    }
    return new Reach(tenant);
  }
}
