package io.headgate.agent.driver.rocm;

import java.util.List;

/// The queries that AMD's libraries answer. ROCm SMI is taken where there are both.
///
/// Every method may block for seconds, and none may run while [#reopen] does: all are called on one
/// [io.headgate.agent.driver.NativeThread]. A call that fails throws [RocmException].
sealed interface AmdLibrary extends AutoCloseable permits Rocm, AmdSmi {
  /// A device of the library, which is a GPU or a partition of one.
  ///
  /// @param index in the library's order, until it is opened anew
  /// @param partition of its GPU, from 0
  record Device(int index, PciAddress address, int partition) {}

  /// Name and version: `rocm 7.8.0`.
  String description();

  List<Device> devices();

  /// The maker's name of the model: `AMD Instinct MI300X`.
  String name(Device device);

  /// Number of the chip; its partitions share it. 0: it has none.
  long uniqueId(Device device);

  /// The memory of the whole GPU, whose first device this is.
  long memoryBytes(Device device);

  /// Whether it knows modes; those before ROCm 6 do not.
  boolean hasModes();

  /// Its mode of compute partitions, as the driver calls it.
  String mode(Device device);

  /// Lets the library look at the machine anew, which it has to after a change of mode.
  void reopen();

  @Override
  void close();
}
