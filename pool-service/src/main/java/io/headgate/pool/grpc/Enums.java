package io.headgate.pool.grpc;

import io.headgate.pool.core.configuration.Reclaim;
import io.headgate.pool.core.node.Geometry;
import io.headgate.pool.core.node.Isolation;
import io.headgate.proto.pool.v1.Profile;
import io.headgate.proto.type.v1.DeviceGeometry;
import io.headgate.proto.type.v1.IsolationLevel;
import java.util.Optional;

/// Converts enums of the contract.
final class Enums {
  private Enums() {}

  static Isolation isolation(IsolationLevel level) {
    return switch (level) {
      case ISOLATION_LEVEL_REACTIVE -> Isolation.REACTIVE;
      case ISOLATION_LEVEL_DRIVER_PROCESS -> Isolation.DRIVER_PROCESS;
      case ISOLATION_LEVEL_DRIVER_CONTAINER -> Isolation.DRIVER_CONTAINER;
      case ISOLATION_LEVEL_HARDWARE -> Isolation.HARDWARE;
      case ISOLATION_LEVEL_UNSPECIFIED, UNRECOGNIZED -> Isolation.NONE;
    };
  }

  static IsolationLevel level(Isolation isolation) {
    return switch (isolation) {
      case NONE -> IsolationLevel.ISOLATION_LEVEL_UNSPECIFIED;
      case REACTIVE -> IsolationLevel.ISOLATION_LEVEL_REACTIVE;
      case DRIVER_PROCESS -> IsolationLevel.ISOLATION_LEVEL_DRIVER_PROCESS;
      case DRIVER_CONTAINER -> IsolationLevel.ISOLATION_LEVEL_DRIVER_CONTAINER;
      case HARDWARE -> IsolationLevel.ISOLATION_LEVEL_HARDWARE;
    };
  }

  static Reclaim reclaim(Profile.Reclaim reclaim) {
    return switch (reclaim) {
      case RECLAIM_STRICT -> Reclaim.STRICT;
      case RECLAIM_RANK -> Reclaim.RANK;
      case RECLAIM_FAIR -> Reclaim.FAIR;
      case RECLAIM_RESERVATION, RECLAIM_UNSPECIFIED, UNRECOGNIZED -> Reclaim.RESERVATION;
    };
  }

  static Profile.Reclaim reclaim(Reclaim reclaim) {
    return switch (reclaim) {
      case RESERVATION -> Profile.Reclaim.RECLAIM_RESERVATION;
      case STRICT -> Profile.Reclaim.RECLAIM_STRICT;
      case RANK -> Profile.Reclaim.RECLAIM_RANK;
      case FAIR -> Profile.Reclaim.RECLAIM_FAIR;
    };
  }

  /// The geometry; empty if the message does not state it.
  static Optional<Geometry> geometry(DeviceGeometry geometry) {
    return switch (geometry) {
      case DEVICE_GEOMETRY_CONTINUOUS -> Optional.of(Geometry.CONTINUOUS);
      case DEVICE_GEOMETRY_MIG -> Optional.of(Geometry.MIG);
      case DEVICE_GEOMETRY_AMD_PARTITION -> Optional.of(Geometry.AMD_PARTITION);
      case DEVICE_GEOMETRY_UNSPECIFIED, UNRECOGNIZED -> Optional.empty();
    };
  }

  static DeviceGeometry geometry(Geometry geometry) {
    return switch (geometry) {
      case CONTINUOUS -> DeviceGeometry.DEVICE_GEOMETRY_CONTINUOUS;
      case MIG -> DeviceGeometry.DEVICE_GEOMETRY_MIG;
      case AMD_PARTITION -> DeviceGeometry.DEVICE_GEOMETRY_AMD_PARTITION;
    };
  }
}
