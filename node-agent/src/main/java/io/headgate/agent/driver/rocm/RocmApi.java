package io.headgate.agent.driver.rocm;

import com.sun.jna.Library;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;

/// ROCm SMI's functions as the library exports them; each answers a status code.
interface RocmApi extends Library {
  int rsmi_init(long flags);

  int rsmi_shut_down();

  int rsmi_status_string(int status, PointerByReference text);

  /// Three numbers of 32 bits, and a pointer to a text.
  int rsmi_version_get(Pointer version);

  int rsmi_num_monitor_devices(IntByReference count);

  int rsmi_dev_pci_id_get(int device, LongByReference id);

  int rsmi_dev_name_get(int device, byte[] name, long size);

  int rsmi_dev_unique_id_get(int device, LongByReference id);

  int rsmi_dev_memory_total_get(int device, int type, LongByReference bytes);

  int rsmi_dev_compute_partition_get(int device, byte[] mode, int size);
}
