package io.headgate.agent.driver.rocm;

import com.sun.jna.Library;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import org.jspecify.annotations.Nullable;

/// AMD SMI's functions as the library exports them; each answers a status code. Only functions
/// without structures are here, because structures grow from version to version.
interface AmdSmiApi extends Library {
  int amdsmi_init(long flags);

  int amdsmi_shut_down();

  int amdsmi_status_code_to_string(int status, PointerByReference text);

  int amdsmi_get_socket_handles(IntByReference count, Pointer @Nullable [] sockets);

  int amdsmi_get_processor_handles(
      Pointer socket, IntByReference count, Pointer @Nullable [] processors);

  int amdsmi_get_gpu_device_bdf(Pointer processor, LongByReference address);

  int amdsmi_get_gpu_memory_total(Pointer processor, int type, LongByReference bytes);

  int amdsmi_get_gpu_compute_partition(Pointer processor, byte[] mode, int size);
}
