package io.headgate.agent.driver.rocm;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// AMD SMI, the successor of ROCm SMI. Values that it returns in structures only come from the
/// kernel.
final class AmdSmi implements AmdLibrary {
  static final int INIT_GPUS = 2;

  private static final int MODE_BYTES = 16;
  private static final int VRAM = 0;
  private static final int DOMAIN_SHIFT = 16;
  private static final int FUNCTION_MASK = 7;

  private final AmdSmiApi api;
  private final Kfd kfd;

  /// By the index of its device.
  private List<Pointer> processors = List.of();

  /// Asks for handles: how many there are without an array for them, then all of them.
  @FunctionalInterface
  private interface Handles {
    int ask(IntByReference count, Pointer @Nullable [] handles);
  }

  /// @param api initialised
  AmdSmi(AmdSmiApi api, Kfd kfd) {
    this.api = api;
    this.kfd = kfd;
  }

  /// Its version it tells in a structure that differs between versions.
  @Override
  public String description() {
    return "amdsmi";
  }

  @Override
  public List<Device> devices() {
    List<Pointer> found = new ArrayList<>();
    for (Pointer socket : handles("amdsmi_get_socket_handles", api::amdsmi_get_socket_handles)) {
      found.addAll(
          handles(
              "amdsmi_get_processor_handles",
              (count, handles) -> api.amdsmi_get_processor_handles(socket, count, handles)));
    }
    processors = found;
    List<Device> devices = new ArrayList<>();
    // Partitions follow on one another; whether their addresses differ depends on the version.
    Map<PciAddress, Integer> partitions = new HashMap<>();
    for (int i = 0; i < found.size(); i++) {
      LongByReference id = new LongByReference();
      check("amdsmi_get_gpu_device_bdf", api.amdsmi_get_gpu_device_bdf(found.get(i), id));
      PciAddress address =
          PciAddress.of(id.getValue() >>> DOMAIN_SHIFT, id.getValue() & ~FUNCTION_MASK);
      devices.add(new Device(i, address, partitions.merge(address, 1, Integer::sum) - 1));
    }
    return devices;
  }

  private List<Pointer> handles(String function, Handles handles) {
    IntByReference count = new IntByReference();
    check(function, handles.ask(count, null));
    Pointer[] found = new Pointer[count.getValue()];
    check(function, handles.ask(count, found));
    return List.of(found).subList(0, Math.min(found.length, count.getValue()));
  }

  @Override
  public String name(Device device) {
    return kfd.attribute(device.address(), "product_name");
  }

  @Override
  public long uniqueId(Device device) {
    String id = kfd.attribute(device.address(), "unique_id");
    return id.isEmpty() ? 0 : Long.parseUnsignedLong(id, 16);
  }

  @Override
  public long memoryBytes(Device device) {
    LongByReference bytes = new LongByReference();
    check(
        "amdsmi_get_gpu_memory_total",
        api.amdsmi_get_gpu_memory_total(processor(device), VRAM, bytes));
    return bytes.getValue();
  }

  @Override
  public boolean hasModes() {
    return true;
  }

  @Override
  public String mode(Device device) {
    byte[] mode = new byte[MODE_BYTES];
    check(
        "amdsmi_get_gpu_compute_partition",
        api.amdsmi_get_gpu_compute_partition(processor(device), mode, mode.length));
    return Native.toString(mode, StandardCharsets.UTF_8);
  }

  @Override
  public void reopen() {
    close();
    check("amdsmi_init", api.amdsmi_init(INIT_GPUS));
  }

  @Override
  public void close() {
    check("amdsmi_shut_down", api.amdsmi_shut_down());
  }

  private Pointer processor(Device device) {
    return processors.get(device.index());
  }

  private void check(String function, int status) {
    if (status != 0) {
      throw new RocmException(function, status, words(api, status));
    }
  }

  static String words(AmdSmiApi api, int status) {
    PointerByReference text = new PointerByReference();
    return api.amdsmi_status_code_to_string(status, text) == 0 && text.getValue() != null
        ? text.getValue().getString(0, StandardCharsets.UTF_8.name())
        : "unknown status";
  }
}
