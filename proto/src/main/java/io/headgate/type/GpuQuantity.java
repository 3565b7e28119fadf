package io.headgate.type;

/// An exact amount of GPU in units of 1/126000 GPU (the least common multiple of 1000, 7, 9 and
/// 16). So `1/7 × 7 = 1`, and every milli-GPU and every sixteenth has a value.
///
/// The contract, files and output use its text form. Input is `4`, `0.5` or `1/7`; output is in
/// lowest terms: `4`, `1/2`, `15/2`. Text for people only uses mixed numbers: `7 1/2`.
///
/// @param units the amount in 1/126000 GPU, from 0 to [#MAX_GPUS] GPUs
public record GpuQuantity(long units) implements Comparable<GpuQuantity> {
  /// Units in one whole GPU.
  public static final long UNITS_PER_GPU = 126_000;

  /// The largest amount that can be written: a billion GPUs.
  public static final long MAX_GPUS = 1_000_000_000L;

  public static final GpuQuantity ZERO = new GpuQuantity(0);
  public static final GpuQuantity ONE = new GpuQuantity(UNITS_PER_GPU);

  public GpuQuantity {
    if (units < 0 || units > MAX_GPUS * UNITS_PER_GPU) {
      throw new IllegalArgumentException("GPU quantity out of range: " + units + " units");
    }
  }

  /// The given number of whole GPUs.
  public static GpuQuantity ofGpus(long gpus) {
    return new GpuQuantity(Math.multiplyExact(gpus, UNITS_PER_GPU));
  }

  /// Reads `4`, `0.5` or `1/7`.
  ///
  /// @throws MalformedQuantityException when the text is not a number of one of these forms
  /// @throws InexactQuantityException when no whole number of units equals it; names the two
  ///   nearest
  public static GpuQuantity parse(String text) {
    return GpuQuantityParser.parse(text);
  }

  /// Whether this is a part of one GPU: more than none and less than a whole one.
  public boolean isFraction() {
    return units > 0 && units < UNITS_PER_GPU;
  }

  /// Whether this is a number of whole GPUs, zero included.
  public boolean isWhole() {
    return units % UNITS_PER_GPU == 0;
  }

  public GpuQuantity plus(GpuQuantity other) {
    return new GpuQuantity(units + other.units);
  }

  /// @throws IllegalArgumentException when the result would be negative
  public GpuQuantity minus(GpuQuantity other) {
    return new GpuQuantity(units - other.units);
  }

  public GpuQuantity times(long factor) {
    return new GpuQuantity(Math.multiplyExact(units, factor));
  }

  @Override
  public int compareTo(GpuQuantity other) {
    return Long.compare(units, other.units);
  }

  /// Lowest terms: `4`, `1/2`, `17/2`.
  @Override
  public String toString() {
    return format(units);
  }

  /// The lowest-terms text of an amount in units; negative amounts (differences) are allowed.
  public static String format(long units) {
    long divisor = gcd(Math.abs(units), UNITS_PER_GPU);
    long denominator = UNITS_PER_GPU / divisor;
    long numerator = units / divisor;
    return denominator == 1 ? Long.toString(numerator) : numerator + "/" + denominator;
  }

  /// The mixed form for people, in tables and sentences: `14 1/2` rather than `29/2`.
  public String mixed() {
    return mixed(units);
  }

  /// The mixed form of an amount in units, which is not negative.
  public static String mixed(long units) {
    long whole = units / UNITS_PER_GPU;
    long rest = units % UNITS_PER_GPU;
    return whole == 0 || rest == 0 ? format(units) : whole + " " + format(rest);
  }

  private static long gcd(long a, long b) {
    while (b != 0) {
      long rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }
}
