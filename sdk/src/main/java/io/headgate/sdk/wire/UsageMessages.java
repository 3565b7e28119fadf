package io.headgate.sdk.wire;

import io.headgate.proto.scheduler.v1.NodeUsage;
import io.headgate.proto.scheduler.v1.PolicyUsage;
import io.headgate.proto.scheduler.v1.PoolUsage;
import io.headgate.proto.scheduler.v1.QueueUsage;
import io.headgate.sdk.model.Usage;

/// Maps usage between messages and records.
public final class UsageMessages {
  private UsageMessages() {}

  public static Usage.OfPolicy usage(PolicyUsage usage) {
    return new Usage.OfPolicy(
        usage.getPolicy(),
        ValueMessages.gpus(usage.getUsed()),
        ValueMessages.gpus(usage.getEntitled()),
        ValueMessages.gpus(usage.getOverReservation()),
        ValueMessages.gpus(usage.getReservation()),
        ValueMessages.gpus(usage.getLimit()),
        ValueMessages.gpus(usage.getDemand()),
        usage.getRunningJobs(),
        usage.getWaitingJobs(),
        JobMessages.instant(usage.hasOldestWaitingTime(), usage.getOldestWaitingTime()),
        JobMessages.instant(usage.hasNextExpectedStartTime(), usage.getNextExpectedStartTime()));
  }

  public static Usage.OfQueue usage(QueueUsage usage) {
    return new Usage.OfQueue(
        usage.getQueue(),
        usage.getPolicy(),
        usage.getProfile(),
        ValueMessages.gpus(usage.getUsed()),
        usage.getRunningJobs(),
        usage.getWaitingJobs(),
        usage.hasHeadReason() ? JobMessages.reason(usage.getHeadReason()) : null,
        JobMessages.instant(usage.hasOldestWaitingTime(), usage.getOldestWaitingTime()));
  }

  public static Usage.OfPool usage(PoolUsage usage) {
    return new Usage.OfPool(
        usage.getPool(),
        ValueMessages.gpus(usage.getCapacity()),
        ValueMessages.gpus(usage.getUsed()),
        ValueMessages.gpus(usage.getHeld()),
        ValueMessages.gpus(usage.getIdle()),
        ValueMessages.gpus(usage.getUnusable()),
        ValueMessages.gpus(usage.getDown()),
        usage.getLiveNodes(),
        usage.getNodes(),
        usage.getRunningJobs(),
        usage.getWaitingJobs());
  }

  public static Usage.OfNode usage(NodeUsage usage) {
    return new Usage.OfNode(
        usage.getNode(),
        usage.getPool(),
        contact(usage.getContact()),
        JobMessages.instant(usage.hasLastContactTime(), usage.getLastContactTime()),
        usage.getDevicesList().stream()
            .map(device ->
                new Usage.OfDevice(
                    device.getIndex(),
                    ValueMessages.gpus(device.getUsed()),
                    ValueMessages.gpus(device.getHeld()),
                    device.getJobsList()))
            .toList(),
        usage.getUsedCpuMillis(),
        usage.getUsedMemoryBytes(),
        usage.getJobsList(),
        usage.hasRunsImages() ? usage.getRunsImages() : null,
        JobMessages.instant(usage.hasSetAsideUntil(), usage.getSetAsideUntil()),
        usage.getSetAsideReason());
  }

  private static Usage.Contact contact(NodeUsage.Contact contact) {
    return switch (contact) {
      case CONTACT_CONNECTED -> Usage.Contact.CONNECTED;
      case CONTACT_SUSPECT -> Usage.Contact.SUSPECT;
      case CONTACT_LOST -> Usage.Contact.LOST;
      case CONTACT_NEVER -> Usage.Contact.NEVER;
      case CONTACT_UNSPECIFIED, UNRECOGNIZED -> Usage.Contact.UNKNOWN;
    };
  }
}
