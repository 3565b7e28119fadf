package io.headgate.agent.driver;

import io.headgate.agent.core.DeviceSign;

/// Told of what devices report by themselves, on a thread of their driver's. Must not wait.
public interface DeviceListener {
  /// The device's driver reported an error.
  void reported(String deviceUuid, DeviceSign.Xid error);

  /// Something happened to the device that a reading of it shows.
  void stirred(String deviceUuid);
}
