package io.headgate.agent.core;

/// A device file that a slice needs.
///
/// @param name below `/dev`: `nvidia0`, `dri/renderD128`
/// @param major number of its driver
/// @param minor number of the device there
public record DeviceNode(String name, int major, int minor) {
  private static final int MAX_NAME = 200;

  public DeviceNode {
    boolean plain = name.matches("[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*");
    if (!plain || name.length() > MAX_NAME || major < 0 || minor < 0) {
      throw new IllegalArgumentException("device node \"%s\" %d:%d".formatted(name, major, minor));
    }
  }
}
