package io.headgate.agent.driver.rocm;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// All native calls, as values.
///
/// Every method may block for seconds, and none may run while [#reopen] does: all are called on one
/// [io.headgate.agent.driver.Lane]. A call that fails throws [RocmException].
final class Rocm implements AutoCloseable {
  /// A device of the library, which is a GPU or a partition of one.
  ///
  /// @param index in the library's order, until it is opened anew
  /// @param partition of its GPU, from 0
  record Device(int index, PciAddress address, int partition) {}

  private static final int NAME_BYTES = 128;
  private static final int MODE_BYTES = 16;
  private static final int VERSION_BYTES = 24;
  private static final int VRAM = 0;

  private final RocmApi api;

  /// @param api initialised
  Rocm(RocmApi api) {
    this.api = api;
  }

  /// Version of the library: `7.8.0`.
  String version() {
    Memory version = new Memory(VERSION_BYTES);
    version.clear();
    check("rsmi_version_get", api.rsmi_version_get(version));
    return version.getInt(0) + "." + version.getInt(4) + "." + version.getInt(8);
  }

  List<Device> devices() {
    IntByReference count = new IntByReference();
    check("rsmi_num_monitor_devices", api.rsmi_num_monitor_devices(count));
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < count.getValue(); i++) {
      LongByReference id = new LongByReference();
      check("rsmi_dev_pci_id_get", api.rsmi_dev_pci_id_get(i, id));
      devices.add(
          new Device(i, PciAddress.ofId(id.getValue()), PciAddress.partition(id.getValue())));
    }
    return devices;
  }

  /// As its maker calls it: `AMD Instinct MI300X`.
  String name(Device device) {
    byte[] name = new byte[NAME_BYTES];
    check("rsmi_dev_name_get", api.rsmi_dev_name_get(device.index(), name, name.length));
    return Native.toString(name, StandardCharsets.UTF_8);
  }

  /// Number of the chip; its partitions share it.
  long uniqueId(Device device) {
    LongByReference id = new LongByReference();
    check("rsmi_dev_unique_id_get", api.rsmi_dev_unique_id_get(device.index(), id));
    return id.getValue();
  }

  /// Of the whole GPU, of which this is the first device.
  long memoryBytes(Device device) {
    LongByReference bytes = new LongByReference();
    check("rsmi_dev_memory_total_get", api.rsmi_dev_memory_total_get(device.index(), VRAM, bytes));
    return bytes.getValue();
  }

  /// Its mode of compute partitions, as the driver calls it.
  String mode(Device device) {
    byte[] mode = new byte[MODE_BYTES];
    check(
        "rsmi_dev_compute_partition_get",
        api.rsmi_dev_compute_partition_get(device.index(), mode, mode.length));
    return Native.toString(mode, StandardCharsets.UTF_8);
  }

  /// Changes the mode of an idle GPU. The library's devices are void from then on.
  void setMode(Device device, PartitionMode mode) {
    check(
        "rsmi_dev_compute_partition_set",
        api.rsmi_dev_compute_partition_set(device.index(), mode.number()));
  }

  /// Lets the library look at the machine anew.
  void reopen() {
    check("rsmi_shut_down", api.rsmi_shut_down());
    check("rsmi_init", api.rsmi_init(0));
  }

  @Override
  public void close() {
    check("rsmi_shut_down", api.rsmi_shut_down());
  }

  private void check(String function, int status) {
    if (status != 0) {
      throw new RocmException(function, status, words(api, status));
    }
  }

  static String words(RocmApi api, int status) {
    PointerByReference text = new PointerByReference();
    return api.rsmi_status_string(status, text) == 0 && text.getValue() != null
        ? text.getValue().getString(0, StandardCharsets.UTF_8.name())
        : "unknown status";
  }
}
