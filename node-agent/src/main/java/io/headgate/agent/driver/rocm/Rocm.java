package io.headgate.agent.driver.rocm;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// ROCm SMI.
final class Rocm implements AmdLibrary {
  private static final int NAME_BYTES = 128;
  private static final int MODE_BYTES = 16;
  private static final int VERSION_BYTES = 24;
  private static final int VRAM = 0;

  /// The functions that it may lack.
  static final Set<String> OF_MODES = Set.of("rsmi_dev_compute_partition_get");

  private final RocmApi api;
  private final boolean hasModes;

  /// @param api initialised
  Rocm(RocmApi api, boolean hasModes) {
    this.api = api;
    this.hasModes = hasModes;
  }

  @Override
  public String description() {
    Memory version = new Memory(VERSION_BYTES);
    version.clear();
    check("rsmi_version_get", api.rsmi_version_get(version));
    return "rocm %d.%d.%d".formatted(version.getInt(0), version.getInt(4), version.getInt(8));
  }

  @Override
  public List<Device> devices() {
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

  @Override
  public String name(Device device) {
    byte[] name = new byte[NAME_BYTES];
    check("rsmi_dev_name_get", api.rsmi_dev_name_get(device.index(), name, name.length));
    return Native.toString(name, StandardCharsets.UTF_8);
  }

  @Override
  public long uniqueId(Device device) {
    LongByReference id = new LongByReference();
    check("rsmi_dev_unique_id_get", api.rsmi_dev_unique_id_get(device.index(), id));
    return id.getValue();
  }

  @Override
  public long memoryBytes(Device device) {
    LongByReference bytes = new LongByReference();
    check("rsmi_dev_memory_total_get", api.rsmi_dev_memory_total_get(device.index(), VRAM, bytes));
    return bytes.getValue();
  }

  @Override
  public boolean hasModes() {
    return hasModes;
  }

  @Override
  public String mode(Device device) {
    byte[] mode = new byte[MODE_BYTES];
    check(
        "rsmi_dev_compute_partition_get",
        api.rsmi_dev_compute_partition_get(device.index(), mode, mode.length));
    return Native.toString(mode, StandardCharsets.UTF_8);
  }

  @Override
  public void reopen() {
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
