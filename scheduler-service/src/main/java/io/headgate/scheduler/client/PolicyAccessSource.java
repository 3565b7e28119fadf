package io.headgate.scheduler.client;

import com.google.protobuf.Duration;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Channel;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.WatchAccessRequest;
import io.headgate.proto.policy.v1.WatchAccessResponse;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PreemptionOutcome;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.Access;
import io.headgate.scheduler.runtime.Batch.CatalogChange;
import io.headgate.scheduler.runtime.CatalogEntry;
import io.headgate.scheduler.runtime.CatalogSource;
import io.headgate.scheduler.runtime.CatalogUpdate;
import io.headgate.scheduler.runtime.Document;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// Groups, policies and queues, as policy-service has them.
public final class PolicyAccessSource implements CatalogSource {
  private static final String TENANT = "tenants/";
  private static final java.time.Duration STOP_AFTER = java.time.Duration.ofMinutes(40);

  private final Channel channel;

  /// Follows the policy-service behind the channel.
  public PolicyAccessSource(Channel channel) {
    this.channel = channel;
  }

  @Override
  public String name() {
    return "access";
  }

  @Override
  public CatalogUpdate decode(long version, List<CatalogEntry> entries) {
    WatchAccessResponse.Builder all =
        WatchAccessResponse.newBuilder().setVersion(version).setSnapshot(true);
    try {
      for (CatalogEntry entry : entries) {
        all.addConfigurations(AccessConfiguration.parseFrom(entry.document().bytes()));
      }
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the stored rights cannot be read", e);
    }
    return update(all.build());
  }

  @Override
  public Watch watch(long fromVersion, Consumer<CatalogUpdate> sink) {
    return new VersionedWatch<>(
            "access",
            fromVersion,
            version ->
                AccessConfigurationServiceGrpc.newBlockingStub(channel)
                    .watchAccess(WatchAccessRequest.newBuilder().setVersion(version).build()),
            WatchAccessResponse::getVersion,
            (WatchAccessResponse message) -> {
              if (changes(message)) {
                sink.accept(update(message));
              }
            })
        .start();
  }

  private static boolean changes(WatchAccessResponse message) {
    return message.getSnapshot()
        || message.getConfigurationsCount() > 0
        || message.getDeletedTenantsCount() > 0;
  }

  private static CatalogUpdate.OfAccess update(WatchAccessResponse message) {
    List<CatalogEntry> entries = new ArrayList<>();
    List<Access> accesses = new ArrayList<>();
    for (AccessConfiguration each : message.getConfigurationsList()) {
      entries.add(new CatalogEntry(TENANT + each.getTenant(), Document.of(each.toByteArray())));
      accesses.add(toAccess(each));
    }
    return new CatalogUpdate.OfAccess(
        new CatalogChange(
            message.getVersion(),
            message.getSnapshot(),
            entries,
            message.getDeletedTenantsList().stream().map(tenant -> TENANT + tenant).toList()),
        accesses,
        message.getDeletedTenantsList().stream().map(TenantId::new).toList());
  }

  private static Access toAccess(AccessConfiguration configuration) {
    TenantId tenant = new TenantId(configuration.getTenant());
    List<Access.Rights> rights = new ArrayList<>();
    for (var policy : configuration.getPoliciesList()) {
      SupplyMapper.readable(policy.getName(), () -> toRights(tenant, policy))
          .ifPresent(rights::add);
    }
    List<Queue> queues = new ArrayList<>();
    for (var queue : configuration.getQueuesList()) {
      SupplyMapper.readable(queue.getName(), () -> toQueue(tenant, queue)).ifPresent(queues::add);
    }
    return new Access(
        tenant,
        configuration.getVersion(),
        configuration.getGroupsList().stream().map(group -> toGroup(tenant, group)).toList(),
        rights,
        queues);
  }

  private static Access.Group toGroup(TenantId tenant, Group group) {
    Set<String> members = new LinkedHashSet<>();
    group.getUsersList().forEach(user -> members.add(TENANT + tenant + "/users/" + user));
    group
        .getServiceAccountsList()
        .forEach(account -> members.add(TENANT + tenant + "/serviceAccounts/" + account));
    return new Access.Group(SupplyMapper.id(group.getName()), members);
  }

  private static Access.Rights toRights(
      TenantId tenant, io.headgate.proto.policy.v1.Policy policy) {
    Optional<GpuQuantity> perUser =
        policy.getPerUserLimit().isEmpty()
            ? Optional.empty()
            : Optional.of(GpuQuantity.parse(policy.getPerUserLimit()));
    boolean cancels =
        policy.getOnPreempt() == io.headgate.proto.policy.v1.Policy.OnPreempt.ON_PREEMPT_CANCEL;
    Policy core =
        new Policy(
            new PolicyId(tenant, SupplyMapper.id(policy.getName())),
            policy.getReservation().isEmpty()
                ? GpuQuantity.ZERO
                : GpuQuantity.parse(policy.getReservation()),
            GpuQuantity.parse(policy.getLimit()),
            Math.clamp(policy.getWeight(), 1, Policy.MAX_WEIGHT),
            perUser,
            cancels ? PreemptionOutcome.CANCEL : PreemptionOutcome.REQUEUE,
            toDuration(policy.getMinRuntime()),
            !policy.hasPreemptible() || policy.getPreemptible());
    Optional<java.time.Duration> stopAfter =
        policy.getStopAfterNever()
            ? Optional.empty()
            : Optional.of(policy.hasStopAfter() ? toDuration(policy.getStopAfter()) : STOP_AFTER);
    return new Access.Rights(core, policy.getGroup(), stopAfter);
  }

  private static Queue toQueue(TenantId tenant, io.headgate.proto.policy.v1.Queue queue) {
    return new Queue(
        new QueueId(tenant, SupplyMapper.id(queue.getName())),
        new PolicyId(tenant, queue.getPolicy()),
        new ProfileId(tenant, queue.getProfile()),
        Math.max(1, queue.getRank()),
        queue.getOverReservation()
            != io.headgate.proto.policy.v1.Queue.OverReservation.OVER_RESERVATION_DENY,
        !queue.getPaused());
  }

  private static java.time.Duration toDuration(Duration duration) {
    return java.time.Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
  }
}
