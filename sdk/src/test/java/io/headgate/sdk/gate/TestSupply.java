package io.headgate.sdk.gate;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.headgate.proto.pool.v1.ApproveNodeRequest;
import io.headgate.proto.pool.v1.DiscardDraftRequest;
import io.headgate.proto.pool.v1.DiscardDraftResponse;
import io.headgate.proto.pool.v1.DrainNodeRequest;
import io.headgate.proto.pool.v1.GetDraftRequest;
import io.headgate.proto.pool.v1.GetNodeRequest;
import io.headgate.proto.pool.v1.GetProfileRequest;
import io.headgate.proto.pool.v1.GetResourceConfigurationRequest;
import io.headgate.proto.pool.v1.LabelNodeRequest;
import io.headgate.proto.pool.v1.ListNodesRequest;
import io.headgate.proto.pool.v1.ListNodesResponse;
import io.headgate.proto.pool.v1.ListPoolsRequest;
import io.headgate.proto.pool.v1.ListPoolsResponse;
import io.headgate.proto.pool.v1.ListProfilesRequest;
import io.headgate.proto.pool.v1.ListProfilesResponse;
import io.headgate.proto.pool.v1.MoveNodeRequest;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.NodeServiceGrpc;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.PoolServiceGrpc;
import io.headgate.proto.pool.v1.PrepareChangeRequest;
import io.headgate.proto.pool.v1.PreparedChange;
import io.headgate.proto.pool.v1.Profile;
import io.headgate.proto.pool.v1.ProfileServiceGrpc;
import io.headgate.proto.pool.v1.ProvisionDraftRequest;
import io.headgate.proto.pool.v1.ReplaceDraftRequest;
import io.headgate.proto.pool.v1.ReplaceDraftResponse;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.ResourceConfigurationServiceGrpc;
import io.headgate.proto.pool.v1.UndrainNodeRequest;
import io.headgate.proto.pool.v1.Warning;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Pools and profiles in memory: the provisioned ones, and at most one draft.
public final class TestSupply {
  public final List<Node> allNodes = new ArrayList<>();

  /// Names and etags of approved nodes.
  public final List<String> approved = new ArrayList<>();

  public final List<Warning> warnings = new ArrayList<>();
  public volatile ResourceConfiguration provisioned =
      ResourceConfiguration.newBuilder().setTenant("acme").setVersion(12).build();
  public volatile @Nullable ResourceConfiguration draft;

  /// The change that is prepared and not decided; null: none.
  public volatile @Nullable PrepareChangeRequest prepared;

  final Configurations configurations = new Configurations();
  final Pools pools = new Pools();
  final Profiles profiles = new Profiles();
  final Nodes nodes = new Nodes();

  final class Configurations
      extends ResourceConfigurationServiceGrpc.ResourceConfigurationServiceImplBase {
    @Override
    public void getResourceConfiguration(
        GetResourceConfigurationRequest request, StreamObserver<ResourceConfiguration> answer) {
      send(answer, provisioned);
    }

    @Override
    public void getDraft(GetDraftRequest request, StreamObserver<ResourceConfiguration> answer) {
      ResourceConfiguration current = draft;
      send(answer, current == null ? provisioned : current);
    }

    @Override
    public void replaceDraft(
        ReplaceDraftRequest request, StreamObserver<ReplaceDraftResponse> answer) {
      if (request.getIfVersion() != 0 && request.getIfVersion() != provisioned.getVersion()) {
        answer.onError(stale());
        return;
      }
      ResourceConfiguration stored = sorted(request.getConfiguration());
      if (!request.getValidateOnly()) {
        draft = stored;
      }
      send(
          answer,
          ReplaceDraftResponse.newBuilder().setDraft(stored).addAllWarnings(warnings).build());
    }

    @Override
    public void discardDraft(
        DiscardDraftRequest request, StreamObserver<DiscardDraftResponse> answer) {
      draft = null;
      send(answer, DiscardDraftResponse.getDefaultInstance());
    }

    @Override
    public void prepareChange(PrepareChangeRequest request, StreamObserver<PreparedChange> answer) {
      ResourceConfiguration current = draft;
      if (request.getBaseVersion() != provisioned.getVersion()) {
        answer.onError(stale());
        return;
      }
      if (current != null
          && !current.getUpdatedBy().isEmpty()
          && !request.getDiscardDraftsOfList().contains(current.getUpdatedBy())) {
        answer.onError(
            TestGate.refusal(
                Status.Code.ABORTED,
                "DRAFT_OF_OTHERS",
                "the draft has edits of " + current.getUpdatedBy(),
                Map.of("editors", current.getUpdatedBy())));
        return;
      }
      prepared = request;
      send(answer, PreparedChange.newBuilder().setChangeId(request.getChangeId()).build());
    }

    @Override
    public void provisionDraft(
        ProvisionDraftRequest request, StreamObserver<ResourceConfiguration> answer) {
      ResourceConfiguration current = draft;
      if (current == null || !current.getEtag().equals(request.getEtag())) {
        answer.onError(stale());
        return;
      }
      provisioned = current.toBuilder().setVersion(provisioned.getVersion() + 1).build();
      draft = null;
      send(answer, provisioned);
    }

    private ResourceConfiguration sorted(ResourceConfiguration configuration) {
      List<Pool> byName = new ArrayList<>(configuration.getPoolsList());
      byName.sort(Comparator.comparing(Pool::getName));
      List<Profile> profilesByName = new ArrayList<>(configuration.getProfilesList());
      profilesByName.sort(Comparator.comparing(Profile::getName));
      return configuration.toBuilder()
          .clearPools()
          .addAllPools(byName)
          .clearProfiles()
          .addAllProfiles(profilesByName)
          .setVersion(provisioned.getVersion())
          .setEtag("etag-" + configuration.hashCode())
          .build();
    }
  }

  /// Settles the prepared change, as the decider of rights tells.
  void settle(boolean isCommitted) {
    PrepareChangeRequest change = prepared;
    prepared = null;
    if (change != null && isCommitted && change.hasConfiguration()) {
      provisioned =
          configurations.sorted(change.getConfiguration()).toBuilder()
              .setVersion(provisioned.getVersion() + 1)
              .build();
      draft = null;
    }
  }

  static io.grpc.StatusRuntimeException stale() {
    return TestGate.refusal(
        Status.Code.ABORTED, "VERSION_CHANGED", "the configuration was changed meanwhile");
  }

  static <T> void send(StreamObserver<T> answer, T message) {
    answer.onNext(message);
    answer.onCompleted();
  }

  final class Pools extends PoolServiceGrpc.PoolServiceImplBase {
    @Override
    public void listPools(ListPoolsRequest request, StreamObserver<ListPoolsResponse> answer) {
      send(answer, ListPoolsResponse.newBuilder().addAllPools(provisioned.getPoolsList()).build());
    }
  }

  final class Profiles extends ProfileServiceGrpc.ProfileServiceImplBase {
    @Override
    public void listProfiles(
        ListProfilesRequest request, StreamObserver<ListProfilesResponse> answer) {
      send(
          answer,
          ListProfilesResponse.newBuilder().addAllProfiles(provisioned.getProfilesList()).build());
    }

    @Override
    public void getProfile(GetProfileRequest request, StreamObserver<Profile> answer) {
      provisioned.getProfilesList().stream()
          .filter(profile -> profile.getName().equals(request.getName()))
          .findFirst()
          .ifPresentOrElse(
              profile -> send(answer, profile),
              () ->
                  answer.onError(
                      TestGate.refusal(
                          Status.Code.NOT_FOUND, "PROFILE_NOT_FOUND", "no such profile")));
    }
  }

  final class Nodes extends NodeServiceGrpc.NodeServiceImplBase {
    @Override
    public void listNodes(ListNodesRequest request, StreamObserver<ListNodesResponse> answer) {
      send(answer, ListNodesResponse.newBuilder().addAllNodes(allNodes).build());
    }

    @Override
    public void getNode(GetNodeRequest request, StreamObserver<Node> answer) {
      send(answer, node(request.getName()));
    }

    @Override
    public void approveNode(ApproveNodeRequest request, StreamObserver<Node> answer) {
      approved.add(request.getName() + " " + request.getEtag());
      send(answer, node(request.getName()).toBuilder().clearQuarantine().build());
    }

    @Override
    public void drainNode(DrainNodeRequest request, StreamObserver<Node> answer) {
      send(
          answer,
          put(
              node(request.getName()).toBuilder()
                  .setState(Node.State.STATE_DRAINING)
                  .setDrainReason(request.getReason())
                  .build()));
    }

    @Override
    public void undrainNode(UndrainNodeRequest request, StreamObserver<Node> answer) {
      send(
          answer,
          put(
              node(request.getName()).toBuilder()
                  .setState(Node.State.STATE_ACTIVE)
                  .clearDrainReason()
                  .build()));
    }

    @Override
    public void moveNode(MoveNodeRequest request, StreamObserver<Node> answer) {
      if (request.getPool().equals("absent")) {
        answer.onError(Status.INVALID_ARGUMENT.withDescription("no such pool").asException());
        return;
      }
      Node moved = node(request.getName()).toBuilder().setPool(request.getPool()).build();
      send(answer, request.getValidateOnly() ? moved : put(moved));
    }

    @Override
    public void labelNode(LabelNodeRequest request, StreamObserver<Node> answer) {
      Node.Builder node = node(request.getName()).toBuilder().putAllLabels(request.getLabelsMap());
      request.getRemovedKeysList().forEach(node::removeLabels);
      send(answer, put(node.build()));
    }

    private Node put(Node node) {
      allNodes.replaceAll(each -> each.getName().equals(node.getName()) ? node : each);
      return node;
    }

    private Node node(String name) {
      return allNodes.stream()
          .filter(each -> each.getName().equals(name))
          .findFirst()
          .orElseThrow();
    }
  }
}
