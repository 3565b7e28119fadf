package io.headgate.scheduler.simulation;

import io.headgate.type.GpuQuantity;
import java.math.BigInteger;

/// An exact amount of GPU time.
///
/// @param unitMillis in 1/126000 GPU times milliseconds; more than a `long` holds for large fleets
public record GpuSeconds(BigInteger unitMillis) {
  public static final GpuSeconds ZERO = new GpuSeconds(BigInteger.ZERO);

  private static final BigInteger PER_GPU_SECOND =
      BigInteger.valueOf(GpuQuantity.UNITS_PER_GPU * 1000);

  /// This amount plus units for some time.
  ///
  /// @param units of GPU, in 1/126000
  public GpuSeconds plus(long units, long millis) {
    return units == 0 || millis == 0
        ? this
        : new GpuSeconds(
            unitMillis.add(BigInteger.valueOf(units).multiply(BigInteger.valueOf(millis))));
  }

  /// Lowest terms: `3600`, `25/2`.
  @Override
  public String toString() {
    BigInteger divisor = unitMillis.gcd(PER_GPU_SECOND);
    BigInteger numerator = unitMillis.divide(divisor);
    BigInteger denominator = PER_GPU_SECOND.divide(divisor);
    return denominator.equals(BigInteger.ONE)
        ? numerator.toString()
        : numerator + "/" + denominator;
  }
}
