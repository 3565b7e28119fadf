package io.headgate.scheduler.core.ledger;

import java.math.BigDecimal;

/// The price of one GPU for an hour.
///
/// @param perGpuHour without trailing zeros, so that equal prices are equal
/// @param currency ISO 4217 code; empty: the pool names none
public record Price(BigDecimal perGpuHour, String currency) {
  public Price {
    perGpuHour = perGpuHour.stripTrailingZeros();
  }
}
