package io.headgate.pool.core.configuration;

import java.math.BigDecimal;
import java.util.Optional;

/// The price of one GPU for an hour.
///
/// @param perGpuHour without trailing zeros, so that equal prices are equal
/// @param currency ISO 4217 code
public record Price(BigDecimal perGpuHour, Optional<String> currency) {
  public Price {
    perGpuHour = perGpuHour.stripTrailingZeros();
  }
}
