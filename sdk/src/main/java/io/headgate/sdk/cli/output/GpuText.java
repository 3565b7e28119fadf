package io.headgate.sdk.cli.output;

import io.headgate.type.GpuQuantity;

/// GPU quantities for the eye: `14 1/2` rather than `29/2`. Everything that a machine may read has
/// lowest terms.
public final class GpuText {
  private GpuText() {}

  public static String of(GpuQuantity quantity) {
    long whole = quantity.units() / GpuQuantity.UNITS_PER_GPU;
    GpuQuantity rest = quantity.minus(GpuQuantity.ofGpus(whole));
    if (whole == 0 || rest.units() == 0) {
      return quantity.toString();
    }
    return whole + " " + rest;
  }
}
