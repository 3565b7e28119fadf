package io.headgate.agent.driver.rocm;

/// Where on the machine's buses a GPU is. Its partitions share it.
record PciAddress(long domain, int bus, int device, int function)
    implements Comparable<PciAddress> {
  private static final int PARTITION_SHIFT = 28;
  private static final int PARTITION_MASK = 0xf;

  /// From ROCm SMI's number for it, or from the kernel's domain and location, which are alike: the
  /// domain from bit 32, the partition from bit 28, the bus from bit 8, then device and function.
  static PciAddress of(long domain, long location) {
    return new PciAddress(
        domain,
        (int) (location >>> 8 & 0xff),
        (int) (location >>> 3 & 0x1f),
        (int) (location & 0x7));
  }

  static PciAddress ofId(long id) {
    return of(id >>> 32, id);
  }

  /// The partition of the GPU that such a number names too, from 0.
  static int partition(long location) {
    return (int) (location >>> PARTITION_SHIFT) & PARTITION_MASK;
  }

  @Override
  public int compareTo(PciAddress other) {
    return toString().compareTo(other.toString());
  }

  /// The name in `/sys/bus/pci/devices`: `0000:0c:00.0`.
  @Override
  public String toString() {
    return "%04x:%02x:%02x.%x".formatted(domain, bus, device, function);
  }
}
