package io.headgate.type;

/// The text is a number, but not a multiple of 1/126000 GPU; carries the two nearest that are.
public final class InexactQuantityException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final GpuQuantity below;
  private final GpuQuantity above;

  public InexactQuantityException(String text, GpuQuantity below, GpuQuantity above) {
    super(
        text
            + " GPU cannot be represented exactly: quantities are multiples of 1/"
            + GpuQuantity.UNITS_PER_GPU
            + "; the nearest are "
            + unreduced(below)
            + " and "
            + unreduced(above));
    this.below = below;
    this.above = above;
  }

  // The common denominator shows at a glance that the two are neighbours.
  private static String unreduced(GpuQuantity quantity) {
    return quantity.units() + "/" + GpuQuantity.UNITS_PER_GPU;
  }

  public GpuQuantity below() {
    return below;
  }

  public GpuQuantity above() {
    return above;
  }
}
