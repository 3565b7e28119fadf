package io.headgate.pool.grpc;

import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.pool.core.configuration.ConfigurationSpec.DedicationSpec;
import io.headgate.pool.core.configuration.ConfigurationSpec.ElasticitySpec;
import io.headgate.pool.core.configuration.ConfigurationSpec.PoolSpec;
import io.headgate.pool.core.configuration.Instance;
import io.headgate.pool.core.configuration.Pool;
import io.headgate.pool.core.configuration.PoolRules;
import io.headgate.pool.core.name.ProfileId;
import io.headgate.pool.core.name.StorageId;
import io.headgate.pool.core.name.TenantId;
import io.headgate.proto.pool.v1.Dedication;
import io.headgate.proto.pool.v1.Elasticity;
import io.headgate.proto.pool.v1.Fairness;
import java.util.Optional;

/// Converts pools to and from messages.
final class PoolMessages {
  private PoolMessages() {}

  /// The described pool, unchecked.
  ///
  /// @param id of the pool; the message's name is ignored
  static PoolSpec spec(String id, io.headgate.proto.pool.v1.Pool message) {
    return new PoolSpec(
        id,
        message.getType() == io.headgate.proto.pool.v1.Pool.Type.TYPE_ELASTIC,
        message.getGpuModel(),
        message.getCapacity(),
        message.getMigAuto(),
        message.getProfileOrderList(),
        dedication(message),
        message.getPricePerGpuHour(),
        message.getCurrency(),
        message.getStorage(),
        message.hasElasticity() ? Optional.of(spec(message.getElasticity())) : Optional.empty(),
        message.hasInstance() ? Optional.of(instance(message.getInstance())) : Optional.empty(),
        rules(message),
        message.getDescription());
  }

  private static PoolRules rules(io.headgate.proto.pool.v1.Pool message) {
    return new PoolRules(
        message.hasPromoteAfter()
            ? Optional.of(ProtoTimes.duration(message.getPromoteAfter()))
            : Optional.empty(),
        message.getConsolidate(),
        message.hasFairness()
            ? Optional.of(ProtoTimes.duration(message.getFairness().getHalfLife()))
            : Optional.empty());
  }

  private static Optional<DedicationSpec> dedication(io.headgate.proto.pool.v1.Pool message) {
    return switch (message.getDedicatedTo().getOwnerCase()) {
      case POLICY -> Optional.of(new DedicationSpec.ToPolicy(message.getDedicatedTo().getPolicy()));
      case GROUP -> Optional.of(new DedicationSpec.ToGroup(message.getDedicatedTo().getGroup()));
      case OWNER_NOT_SET -> Optional.empty();
    };
  }

  private static ElasticitySpec spec(Elasticity message) {
    return new ElasticitySpec(
        message.getProvider(),
        message.getSettingsMap(),
        instance(message.getInstance()),
        message.getMinInstances(),
        message.getMaxInstances(),
        message.hasIdleTimeout()
            ? Optional.of(ProtoTimes.duration(message.getIdleTimeout()))
            : Optional.empty(),
        message.getSpot());
  }

  private static Instance instance(io.headgate.proto.pool.v1.Instance message) {
    return new Instance(
        message.getGpus(),
        message.getGpuModel().isEmpty() ? Optional.empty() : Optional.of(message.getGpuModel()),
        message.getGpuMemoryBytes(),
        message.getCpuMillis(),
        message.getMemoryBytes());
  }

  static io.headgate.proto.pool.v1.Pool message(TenantId tenant, Pool pool) {
    io.headgate.proto.pool.v1.Pool.Builder message =
        io.headgate.proto.pool.v1.Pool.newBuilder()
            .setName(Names.of(tenant, pool.id()))
            .setType(
                pool.elasticity().isPresent()
                    ? io.headgate.proto.pool.v1.Pool.Type.TYPE_ELASTIC
                    : io.headgate.proto.pool.v1.Pool.Type.TYPE_STATIC)
            .setMigAuto(pool.migAuto())
            .addAllProfileOrder(pool.order().stream().map(ProfileId::value).toList())
            .setConsolidate(pool.rules().consolidate())
            .setDescription(pool.description());
    pool.gpuModel().ifPresent(message::setGpuModel);
    pool.capacity().ifPresent(capacity -> message.setCapacity(capacity.toString()));
    pool.dedicatedTo().ifPresent(dedication -> message.setDedicatedTo(message(dedication)));
    pool.price()
        .ifPresent(price -> {
          message.setPricePerGpuHour(price.perGpuHour().toPlainString());
          price.currency().ifPresent(message::setCurrency);
        });
    pool.elasticity().ifPresent(elasticity -> message.setElasticity(message(elasticity)));
    pool.storage().map(StorageId::value).ifPresent(message::setStorage);
    pool.instance().ifPresent(instance -> message.setInstance(message(instance)));
    pool.rules().promoteAfter().map(ProtoTimes::toProto).ifPresent(message::setPromoteAfter);
    pool.rules()
        .halfLife()
        .map(ProtoTimes::toProto)
        .ifPresent(half -> message.setFairness(Fairness.newBuilder().setHalfLife(half)));
    return message.build();
  }

  private static Dedication message(io.headgate.pool.core.configuration.Dedication dedication) {
    return switch (dedication) {
      case io.headgate.pool.core.configuration.Dedication.ToPolicy(var policy) ->
          Dedication.newBuilder().setPolicy(policy.value()).build();
      case io.headgate.pool.core.configuration.Dedication.ToGroup(var group) ->
          Dedication.newBuilder().setGroup(group.value()).build();
    };
  }

  private static Elasticity message(io.headgate.pool.core.configuration.Elasticity elasticity) {
    return Elasticity.newBuilder()
        .setProvider(elasticity.provider())
        .putAllSettings(elasticity.settings())
        .setInstance(message(elasticity.instance()))
        .setMinInstances(elasticity.minInstances())
        .setMaxInstances(elasticity.maxInstances())
        .setIdleTimeout(ProtoTimes.toProto(elasticity.idleTimeout()))
        .setSpot(elasticity.spot())
        .build();
  }

  private static io.headgate.proto.pool.v1.Instance message(Instance instance) {
    io.headgate.proto.pool.v1.Instance.Builder message =
        io.headgate.proto.pool.v1.Instance.newBuilder()
            .setGpus(instance.gpus())
            .setGpuMemoryBytes(instance.gpuMemoryBytes())
            .setCpuMillis(instance.cpuMillis())
            .setMemoryBytes(instance.memoryBytes());
    instance.gpuModel().ifPresent(message::setGpuModel);
    return message.build();
  }
}
