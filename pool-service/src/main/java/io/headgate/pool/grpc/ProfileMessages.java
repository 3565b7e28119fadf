package io.headgate.pool.grpc;

import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.pool.core.configuration.ConfigurationSpec.ProfileSpec;
import io.headgate.pool.core.configuration.Profile;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.TenantId;
import java.util.Optional;

/// Converts profiles to and from messages.
final class ProfileMessages {
  private ProfileMessages() {}

  /// The described profile, unchecked.
  ///
  /// @param id of the profile; the message's name is ignored
  static ProfileSpec spec(String id, io.headgate.proto.pool.v1.Profile message) {
    return new ProfileSpec(
        id,
        message.getGpus(),
        message.getWorkers(),
        message.getCpuMillis(),
        message.getMemoryBytes(),
        message.getGpuMemoryBytes(),
        Enums.isolation(message.getIsolation()),
        message.getGpuModelsList(),
        message.getImages(),
        message.getPoolsList(),
        message.hasHoldAfter()
            ? Optional.of(ProtoTimes.duration(message.getHoldAfter()))
            : Optional.empty(),
        message.hasPreemptionDelay()
            ? Optional.of(ProtoTimes.duration(message.getPreemptionDelay()))
            : Optional.empty(),
        Enums.reclaim(message.getReclaim()),
        message.getDescription());
  }

  static io.headgate.proto.pool.v1.Profile message(TenantId tenant, Profile profile) {
    return io.headgate.proto.pool.v1.Profile.newBuilder()
        .setName(Names.of(tenant, profile.id()))
        .setGpus(profile.gpus().toString())
        .setWorkers(profile.workers())
        .setCpuMillis(profile.cpuMillis())
        .setMemoryBytes(profile.memoryBytes())
        .setGpuMemoryBytes(profile.gpuMemoryBytes())
        .setIsolation(Enums.level(profile.isolation()))
        .addAllGpuModels(profile.gpuModels())
        .setImages(profile.images())
        .addAllPools(profile.pools().stream().map(PoolId::value).toList())
        .setHoldAfter(ProtoTimes.toProto(profile.holdAfter()))
        .setPreemptionDelay(ProtoTimes.toProto(profile.preemptionDelay()))
        .setReclaim(Enums.reclaim(profile.reclaim()))
        .setDescription(profile.description())
        .build();
  }
}
