/// AMD's GPUs through ROCm SMI (`librocm_smi64.so`) or AMD SMI (`libamd_smi.so`) and the files of
/// the kernel's driver under `/sys`.
///
/// [AmdLibrary] makes the native calls, all on one thread, because the library begins anew when the
/// mode of a GPU changes. [Kfd] reads which processes compute where. A GPU in a mode of several
/// partitions shows as several devices of the library and as several nodes of the kernel; [AmdGpu]
/// is the physical GPU.
@NullMarked
package io.headgate.agent.driver.rocm;

import org.jspecify.annotations.NullMarked;
