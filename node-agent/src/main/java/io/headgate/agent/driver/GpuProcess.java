package io.headgate.agent.driver;

/// A process that has memory of a device.
///
/// @param bytes of device memory
public record GpuProcess(long pid, long bytes) {}
