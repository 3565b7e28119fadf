/// NVIDIA's GPUs by NVML, the library that comes with their driver: what there is, slices of it,
/// and who uses it.
///
/// `Nvml` owns every native call; nothing else here knows a pointer. Whatever may take time runs on
/// the GPU's own thread ([io.headgate.agent.driver.Lane]). The ways to make a slice are the sealed
/// `SliceMechanism`s.
@NullMarked
package io.headgate.agent.driver.nvml;

import org.jspecify.annotations.NullMarked;
