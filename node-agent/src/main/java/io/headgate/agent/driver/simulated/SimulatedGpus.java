package io.headgate.agent.driver.simulated;

import io.headgate.agent.core.DeviceInfo.Geometry;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A parsed `--simulate-gpus`: `8xH100`, `2xA100-80GiB`, `2xH100-mig`, `4xMI300X-amd`, `0`.
///
/// @param model as pools name it
/// @param memoryBytes of each device
/// @param geometry how the devices say they divide
public record SimulatedGpus(int count, String model, long memoryBytes, Geometry geometry) {
  private static final int MAX_COUNT = 256;
  private static final Pattern FORM =
      Pattern.compile(
          "([0-9]+)x([A-Za-z0-9][A-Za-z0-9_.]*)(?:-([0-9]+)(GiB|GB|MiB))?(?:-(mig|amd))?");
  private static final long GIB = 1L << 30;

  /// Memory of the common models, so that `8xH100` is enough.
  private static final Map<String, Long> KNOWN_GIB =
      Map.ofEntries(
          Map.entry("A10", 24L),
          Map.entry("A30", 24L),
          Map.entry("A40", 48L),
          Map.entry("A100", 80L),
          Map.entry("H100", 80L),
          Map.entry("H200", 141L),
          Map.entry("B200", 180L),
          Map.entry("L4", 24L),
          Map.entry("L40S", 48L),
          Map.entry("T4", 16L),
          Map.entry("V100", 32L),
          Map.entry("RTX4090", 24L),
          Map.entry("RTX6000", 48L),
          Map.entry("MI300X", 192L));

  public SimulatedGpus {
    if (count < 0 || count > MAX_COUNT) {
      throw new IllegalArgumentException(
          count + " simulated GPUs; a machine has 0 to " + MAX_COUNT);
    }
  }

  /// Reads COUNTxMODEL or COUNTxMODEL-MEMORY, with `-mig` or `-amd` for devices with places.
  public static SimulatedGpus parse(String text) {
    if (text.equals("0")) {
      return new SimulatedGpus(0, "none", 0, Geometry.CONTINUOUS);
    }
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches() || matcher.group(1).length() > 3) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' is not COUNTxMODEL or COUNTxMODEL-MEMORY, such as 8xH100 or 8xA100-80GiB");
    }
    String model = matcher.group(2);
    @Nullable String memory = matcher.group(3);
    long bytes = memory == null ? known(model) : parseBytes(memory, matcher.group(4));
    return new SimulatedGpus(
        Integer.parseInt(matcher.group(1)), model, bytes, geometry(matcher.group(5)));
  }

  private static Geometry geometry(@Nullable String word) {
    return word == null
        ? Geometry.CONTINUOUS
        : word.equals("mig") ? Geometry.MIG : Geometry.AMD_PARTITION;
  }

  private static long known(String model) {
    @Nullable Long gib = KNOWN_GIB.get(model.toUpperCase(Locale.ROOT));
    if (gib == null) {
      throw new IllegalArgumentException(
          "the memory of a " + model + " is not known here; write it too: 8x" + model + "-80GiB");
    }
    return gib * GIB;
  }

  private static long parseBytes(String number, String unit) {
    long factor =
        switch (unit) {
          case "GiB" -> GIB;
          case "GB" -> 1_000_000_000L;
          default -> 1L << 20;
        };
    if (number.length() > 9) {
      throw new IllegalArgumentException("no GPU has " + number + " " + unit);
    }
    return Math.multiplyExact(Long.parseLong(number), factor);
  }
}
