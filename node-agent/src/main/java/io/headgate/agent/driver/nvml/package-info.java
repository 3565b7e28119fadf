/// NVIDIA's GPUs by NVML, the library that comes with their driver: devices, slices and their
/// processes.
///
/// `Nvml` owns every native call; no other class here handles a pointer. Slow calls run on the
/// GPU's own thread ([io.headgate.agent.driver.NativeThread]). The ways to make a slice implement
/// `SliceMechanism`.
@NullMarked
package io.headgate.agent.driver.nvml;

import org.jspecify.annotations.NullMarked;
