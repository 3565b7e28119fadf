package io.headgate.scheduler.core.property;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.SlicePlacement;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The slices that fit on devices divided in hardware, tried out one by one: the tables and the
/// arithmetic are written down a second time.
final class Slices {
  /// @param places first memory slice of each place
  private record Size(String name, int memory, int compute, List<Integer> places) {}

  private static final List<Size> MIG =
      List.of(
          new Size("1g", 1, 1, List.of(0, 1, 2, 3, 4, 5, 6)),
          new Size("1g.2x", 2, 1, List.of(0, 2, 4, 6)),
          new Size("2g", 2, 2, List.of(0, 2, 4)),
          new Size("3g", 4, 3, List.of(0, 4)),
          new Size("4g", 4, 4, List.of(0)),
          new Size("7g", 8, 7, List.of(0)));

  private static final Map<String, Integer> AMD = Map.of("CPX", 1, "QPX", 2, "DPX", 4, "SPX", 8);

  private Slices() {}

  /// In every sixteenth scenario, some machines are divided in hardware, always in the same way, so
  /// that all else in the scenario stays as it was.
  static Device divided(Device device, long seed, int node) {
    long dice = Long.remainderUnsigned((seed + node * 1_000_003L) * 0x9E3779B97F4A7C15L, 10);
    if (seed % 16 != 7 || dice >= 7) {
      return device;
    }
    return new Device(
        device.index(),
        device.uuid(),
        device.model(),
        device.memoryBytes(),
        dice < 5 ? Geometry.Sliced.MIG : Geometry.Sliced.AMD,
        Isolation.HARDWARE);
  }

  static boolean isSliced(Device device) {
    return device.geometry() instanceof Geometry.Sliced;
  }

  private static boolean isMig(Device device) {
    return device.geometry().equals(Geometry.Sliced.MIG);
  }

  /// How many parts for the profile fit at once beside what is taken.
  static int fitting(Device device, List<Slice> taken, Profile profile) {
    long units = UNITS_PER_GPU;
    boolean[] busy = new boolean[8];
    List<Integer> sizes = new ArrayList<>();
    for (Slice slice : taken) {
      units -= slice.quantity().units();
      SlicePlacement place = slice.placement().orElseThrow();
      sizes.add(place.size());
      for (int i = 0; i < place.size(); i++) {
        busy[place.start() + i] = true;
      }
    }
    if (device.isolation().compareTo(profile.isolation()) < 0) {
      return 0;
    }
    long byUnits = Math.max(0, units) / profile.gpus().units();
    return (int)
        Math.min(
            byUnits,
            isMig(device)
                ? migParts(device, busy, profile)
                : amdParts(device, busy, sizes, profile));
  }

  private static boolean hasMemory(Device device, int slices, Profile profile) {
    return device.memoryBytes() / 8 * slices >= profile.gpuMemoryBytes().orElse(0);
  }

  private static int migParts(Device device, boolean[] busy, Profile profile) {
    long want = profile.gpus().units();
    int least = 99;
    for (Size size : MIG) {
      if (gives(size, want) && hasMemory(device, size.memory(), profile)) {
        least = Math.min(least, size.memory());
      }
    }
    List<Integer> places = new ArrayList<>();
    for (Size size : MIG) {
      if (size.memory() == least && gives(size, want)) {
        places.addAll(size.places());
      }
    }
    return most(busy, places, least);
  }

  private static boolean gives(Size size, long want) {
    boolean inSevenths = want % (UNITS_PER_GPU / 7) == 0;
    return inSevenths
        ? size.compute() >= want / (UNITS_PER_GPU / 7) || size.memory() == 8
        : size.memory() * (UNITS_PER_GPU / 8) >= want;
  }

  /// Every way to lay slices of one length into what is not busy.
  private static int most(boolean[] busy, List<Integer> places, int length) {
    int most = 0;
    for (int place : places) {
      if (isFree(busy, place, length)) {
        boolean[] then = busy.clone();
        for (int i = 0; i < length; i++) {
          then[place + i] = true;
        }
        most = Math.max(most, 1 + most(then, places, length));
        if (length == 1) {
          // One is as good as any other.
          return most;
        }
      }
    }
    return most;
  }

  private static boolean isFree(boolean[] busy, int place, int length) {
    for (int i = place; i < place + length; i++) {
      if (busy[i]) {
        return false;
      }
    }
    return true;
  }

  private static int amdParts(Device device, boolean[] busy, List<Integer> sizes, Profile profile) {
    int size = 0;
    if (sizes.isEmpty()) {
      for (int candidate = 8; candidate >= 1; candidate /= 2) {
        if (serves(device, candidate, profile)) {
          size = candidate;
        }
      }
    } else if (sizes.stream().distinct().count() == 1 && serves(device, sizes.get(0), profile)) {
      size = sizes.get(0);
    }
    int free = 0;
    for (int place = 0; size > 0 && place < 8; place += size) {
      free += isFree(busy, place, size) ? 1 : 0;
    }
    return free;
  }

  private static boolean serves(Device device, int size, Profile profile) {
    return size * (UNITS_PER_GPU / 8) >= profile.gpus().units() && hasMemory(device, size, profile);
  }

  /// Whether two of these have something of the device in common, or cannot exist side by side.
  static boolean clash(Device device, List<Slice> taken) {
    boolean[] busy = new boolean[8];
    int compute = 0;
    for (Slice slice : taken) {
      SlicePlacement place = slice.placement().orElseThrow();
      if (!isFree(busy, place.start(), place.size())) {
        return true;
      }
      for (int i = 0; i < place.size(); i++) {
        busy[place.start() + i] = true;
      }
      if (isMig(device)) {
        compute += mig(place).compute();
      } else if (place.size() != taken.getFirst().placement().orElseThrow().size()) {
        return true;
      }
    }
    return compute > 7;
  }

  private static Size mig(SlicePlacement place) {
    return MIG.stream().filter(size -> size.name().equals(place.profile())).findAny().orElseThrow();
  }

  /// Whether the device has such a slice there, and it gives what was asked.
  static boolean isLegal(Device device, Slice slice) {
    if (slice.placement().isEmpty()) {
      return false;
    }
    SlicePlacement place = slice.placement().get();
    boolean exists =
        isMig(device)
            ? mig(place).memory() == place.size() && mig(place).places().contains(place.start())
            : AMD.getOrDefault(place.profile(), 0) == place.size()
                && place.start() % place.size() == 0;
    return exists
        && place.gives().compareTo(slice.quantity()) >= 0
        && slice.memoryBytes() == device.memoryBytes() / 8 * place.size();
  }
}
