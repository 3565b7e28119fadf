package io.headgate.agent.driver.nvml;

import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.core.DeviceSign.Recovery;
import io.headgate.agent.driver.DeviceReading;
import io.headgate.agent.driver.DeviceReading.Figures;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// Reads the health of a GPU. A reading is absent if the driver lacks it or the GPU does not
/// support it.
///
/// Called on the GPU's [io.headgate.agent.driver.NativeThread].
///
/// @param has whether the library has a function
record NvmlHealth(NvmlHealthApi api, Predicate<String> has) {
  private static final int CHIP = 0;
  private static final int CORRECTED = 0;
  private static final int UNCORRECTED = 1;
  private static final int SINCE_START = 0;
  private static final int RECOVERY_ACTION = 230;

  private static final long HARDWARE_SLOWDOWN = 0x8;
  private static final long TOO_HOT_SOFTWARE = 0x20;
  private static final long TOO_HOT_HARDWARE = 0x40;
  private static final long POWER_BRAKE = 0x80;

  /// Whether the driver tells of errors by itself.
  boolean hasEvents() {
    return List.of(
            "nvmlEventSetCreate",
            "nvmlDeviceGetSupportedEventTypes",
            "nvmlDeviceRegisterEvents",
            "nvmlEventSetWait_v2",
            "nvmlEventSetFree")
        .stream()
        .allMatch(has);
  }

  /// @param nvml of the same library
  DeviceReading read(Nvml nvml, Nvml.Device device) {
    try {
      return answered(nvml, device);
    } catch (NvmlException e) {
      return DeviceReading.of(
          switch (e.status()) {
            case GPU_IS_LOST, GPU_NOT_FOUND, NOT_FOUND ->
                new DeviceSign.Gone("its driver has lost it (" + e.getMessage() + ")");
            case RESET_REQUIRED -> new DeviceSign.RecoveryDue(Recovery.RESET);
            default -> new DeviceSign.Silent("it cannot be read: " + e.getMessage());
          });
    }
  }

  private DeviceReading answered(Nvml nvml, Nvml.Device device) {
    Nvml.MemoryInfo memory = nvml.memory(device);
    List<DeviceSign> signs = new ArrayList<>();
    OptionalLong uncorrected = errors(device, UNCORRECTED);
    if (uncorrected.orElse(0) > 0) {
      signs.add(new DeviceSign.Uncorrected(uncorrected.getAsLong()));
    }
    rows(device, signs);
    if (number(
                "nvmlDeviceGetRetiredPagesPendingStatus",
                value -> api.nvmlDeviceGetRetiredPagesPendingStatus(device.pointer(), value))
            .orElse(0)
        == 1) {
      signs.add(new DeviceSign.PagesPending());
    }
    recovery(device).map(DeviceSign.RecoveryDue::new).ifPresent(signs::add);
    throttled(device).map(DeviceSign.Throttled::new).ifPresent(signs::add);
    return new DeviceReading(
        signs,
        new Figures(
            utilization(device),
            OptionalLong.of(memory.used()),
            OptionalLong.of(memory.total() - memory.reserved()),
            scaled(
                number(
                    "nvmlDeviceGetTemperature",
                    value -> api.nvmlDeviceGetTemperature(device.pointer(), CHIP, value)),
                1),
            scaled(
                number(
                    "nvmlDeviceGetPowerUsage",
                    value -> api.nvmlDeviceGetPowerUsage(device.pointer(), value)),
                1000),
            joules(device),
            errors(device, CORRECTED),
            uncorrected));
  }

  private OptionalDouble utilization(Nvml.Device device) {
    Struct rates = Struct.one(Layout.UTILIZATION);
    return ask(
            "nvmlDeviceGetUtilizationRates",
            () -> api.nvmlDeviceGetUtilizationRates(device.pointer(), rates.pointer()))
        ? OptionalDouble.of(rates.u32("gpu") / 100.0)
        : OptionalDouble.empty();
  }

  private OptionalDouble joules(Nvml.Device device) {
    LongByReference value = new LongByReference();
    return ask(
            "nvmlDeviceGetTotalEnergyConsumption",
            () -> api.nvmlDeviceGetTotalEnergyConsumption(device.pointer(), value))
        ? OptionalDouble.of(value.getValue() / 1000.0)
        : OptionalDouble.empty();
  }

  private OptionalLong errors(Nvml.Device device, int type) {
    LongByReference value = new LongByReference();
    return ask(
            "nvmlDeviceGetTotalEccErrors",
            () -> api.nvmlDeviceGetTotalEccErrors(device.pointer(), type, SINCE_START, value))
        ? OptionalLong.of(value.getValue())
        : OptionalLong.empty();
  }

  private void rows(Nvml.Device device, List<DeviceSign> signs) {
    IntByReference unused = new IntByReference();
    IntByReference pending = new IntByReference();
    IntByReference failed = new IntByReference();
    if (!ask(
        "nvmlDeviceGetRemappedRows",
        () -> api.nvmlDeviceGetRemappedRows(device.pointer(), unused, unused, pending, failed))) {
      return;
    }
    if (failed.getValue() != 0) {
      signs.add(new DeviceSign.RowsExhausted());
    }
    if (pending.getValue() != 0) {
      signs.add(new DeviceSign.RowsPending());
    }
  }

  /// Since driver 565 or so.
  private Optional<Recovery> recovery(Nvml.Device device) {
    Struct field = Struct.one(Layout.FIELD_VALUE).set("fieldId", RECOVERY_ACTION);
    if (!ask(
            "nvmlDeviceGetFieldValues",
            () -> api.nvmlDeviceGetFieldValues(device.pointer(), 1, field.pointer()))
        || field.u32("nvmlReturn") != 0) {
      return Optional.empty();
    }
    return switch (field.u32("value")) {
      case 1, 5 -> Optional.of(Recovery.RESET);
      case 2 -> Optional.of(Recovery.RESTART);
      case 3 -> Optional.of(Recovery.DRAIN_LINKS);
      case 4 -> Optional.of(Recovery.DRAIN_AND_RESET);
      default -> Optional.empty();
    };
  }

  /// Why its hardware protects itself; a limit of its power or of its clocks is nothing to be seen
  /// to.
  private Optional<String> throttled(Nvml.Device device) {
    LongByReference value = new LongByReference();
    if (!ask(
        "nvmlDeviceGetCurrentClocksThrottleReasons",
        () -> api.nvmlDeviceGetCurrentClocksThrottleReasons(device.pointer(), value))) {
      return Optional.empty();
    }
    long reasons = value.getValue();
    if ((reasons & (TOO_HOT_HARDWARE | TOO_HOT_SOFTWARE)) != 0) {
      return Optional.of("it is too hot");
    }
    if ((reasons & POWER_BRAKE) != 0) {
      return Optional.of("its power supply demands it");
    }
    return (reasons & HARDWARE_SLOWDOWN) != 0
        ? Optional.of("its hardware protects itself")
        : Optional.empty();
  }

  private interface NumberCall {
    int into(IntByReference value);
  }

  private OptionalInt number(String function, NumberCall call) {
    IntByReference value = new IntByReference();
    return ask(function, () -> call.into(value))
        ? OptionalInt.of(value.getValue())
        : OptionalInt.empty();
  }

  private static OptionalDouble scaled(OptionalInt number, double by) {
    return number.isPresent() ? OptionalDouble.of(number.getAsInt() / by) : OptionalDouble.empty();
  }

  /// Whether there is an answer.
  ///
  /// @throws NvmlException when the reason why not is about the GPU itself
  private boolean ask(String function, Supplier<Integer> call) {
    if (!has.test(function)) {
      return false;
    }
    int code = call.get();
    return switch (NvmlStatus.of(code)) {
      case SUCCESS -> true;
      case GPU_IS_LOST, GPU_NOT_FOUND, RESET_REQUIRED ->
          throw new NvmlException(function, code, NvmlStatus.of(code).toString());
      default -> false;
    };
  }
}
