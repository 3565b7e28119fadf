package io.headgate.agent.driver;

import io.headgate.agent.core.DeviceSign;

/// Receives the signs that devices report by themselves, on a thread of their driver. Must not
/// block.
public interface DeviceListener {
  /// The device's driver reported an error.
  void reported(String deviceUuid, DeviceSign.Xid error);

  /// Something happened to the device that a reading of it shows.
  void stirred(String deviceUuid);
}
