package io.headgate.agent.driver;

import io.headgate.agent.core.DeviceSign;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Stream;

/// A sample of a device's health.
///
/// @param signs of trouble; none: all is well
/// @param figures of its work; values that the device does not tell are absent
public record DeviceReading(List<DeviceSign> signs, Figures figures) {
  public DeviceReading {
    signs = List.copyOf(signs);
  }

  /// The reading of a device that gives only this sign.
  public static DeviceReading of(DeviceSign only) {
    return new DeviceReading(List.of(only), Figures.NONE);
  }

  /// The same with more signs.
  public DeviceReading with(List<DeviceSign> more) {
    return more.isEmpty()
        ? this
        : new DeviceReading(Stream.concat(signs.stream(), more.stream()).toList(), figures);
  }

  /// Numbers.
  ///
  /// @param utilization part of the time in which it computed, 0 to 1
  /// @param memoryUsed bytes
  /// @param memoryLimit bytes that jobs can have
  /// @param celsius of its chip
  /// @param watts now
  /// @param joules since its driver started
  /// @param corrected errors of its memory since its driver started
  /// @param uncorrected errors of its memory since its driver started
  public record Figures(
      OptionalDouble utilization,
      OptionalLong memoryUsed,
      OptionalLong memoryLimit,
      OptionalDouble celsius,
      OptionalDouble watts,
      OptionalDouble joules,
      OptionalLong corrected,
      OptionalLong uncorrected) {
    public static final Figures NONE =
        new Figures(
            OptionalDouble.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalDouble.empty(),
            OptionalDouble.empty(),
            OptionalDouble.empty(),
            OptionalLong.empty(),
            OptionalLong.empty());
  }
}
