package io.headgate.sdk.gate;

import static io.headgate.sdk.gate.TestSupply.send;

import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.AccessWarning;
import io.headgate.proto.policy.v1.GetAccessConfigurationRequest;
import io.headgate.proto.policy.v1.ListDepartmentsRequest;
import io.headgate.proto.policy.v1.ListDepartmentsResponse;
import io.headgate.proto.policy.v1.ListPoliciesRequest;
import io.headgate.proto.policy.v1.ListPoliciesResponse;
import io.headgate.proto.policy.v1.ListQueuesRequest;
import io.headgate.proto.policy.v1.ListQueuesResponse;
import io.headgate.proto.policy.v1.ListServiceAccountsRequest;
import io.headgate.proto.policy.v1.ListServiceAccountsResponse;
import io.headgate.proto.policy.v1.ListUsersRequest;
import io.headgate.proto.policy.v1.ListUsersResponse;
import io.headgate.proto.policy.v1.ListVaultsRequest;
import io.headgate.proto.policy.v1.ListVaultsResponse;
import io.headgate.proto.policy.v1.PolicyServiceGrpc;
import io.headgate.proto.policy.v1.QueueServiceGrpc;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationRequest;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationResponse;
import io.headgate.proto.policy.v1.ServiceAccountServiceGrpc;
import io.headgate.proto.policy.v1.User;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import io.headgate.proto.policy.v1.VaultServiceGrpc;
import io.headgate.proto.pool.v1.PrepareChangeRequest;
import io.headgate.proto.type.v1.JointChange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// Groups, policies, queues and vaults in memory.
public final class TestRights {
  private final TestSupply supply;

  public final List<ReplaceAccessConfigurationRequest> replacements = new CopyOnWriteArrayList<>();
  public final List<AccessWarning> warnings = new ArrayList<>();

  /// Simulates a concurrent change before the next change that is more than a check.
  public volatile boolean overtakeNextChange;

  /// Stores the next change that is more than a check, and still answers with this error.
  public volatile @Nullable StatusRuntimeException loseNextAnswer;

  /// Whether pool-service does not follow a decided change for now.
  public volatile boolean settlesLater;

  public volatile AccessConfiguration inForce =
      AccessConfiguration.newBuilder().setTenant("acme").setVersion(7).build();

  final Configurations configurations = new Configurations();
  final Policies policies = new Policies();
  final Queues queues = new Queues();
  final Vaults vaults = new Vaults();

  /// The members of a group.
  final Users users = new Users();

  final ServiceAccounts serviceAccounts = new ServiceAccounts();

  /// @param supply whose prepared changes it decides
  TestRights(TestSupply supply) {
    this.supply = supply;
  }

  final class Users extends UserServiceGrpc.UserServiceImplBase {
    @Override
    public void listUsers(ListUsersRequest request, StreamObserver<ListUsersResponse> answer) {
      ListUsersResponse.Builder all = ListUsersResponse.newBuilder();
      inForce.getGroupsList().stream()
          .flatMap(group -> group.getUsersList().stream())
          .forEach(user ->
              all.addUsers(User.newBuilder().setName(request.getParent() + "/users/" + user)));
      send(answer, all.build());
    }
  }

  static final class ServiceAccounts
      extends ServiceAccountServiceGrpc.ServiceAccountServiceImplBase {
    @Override
    public void listServiceAccounts(
        ListServiceAccountsRequest request, StreamObserver<ListServiceAccountsResponse> answer) {
      send(answer, ListServiceAccountsResponse.getDefaultInstance());
    }
  }

  final class Configurations
      extends AccessConfigurationServiceGrpc.AccessConfigurationServiceImplBase {
    @Override
    public void getAccessConfiguration(
        GetAccessConfigurationRequest request, StreamObserver<AccessConfiguration> answer) {
      send(answer, inForce);
    }

    @Override
    public void replaceAccessConfiguration(
        ReplaceAccessConfigurationRequest request,
        StreamObserver<ReplaceAccessConfigurationResponse> answer) {
      replacements.add(request);
      if (overtakeNextChange && !request.getValidateOnly()) {
        overtakeNextChange = false;
        inForce = inForce.toBuilder().setVersion(inForce.getVersion() + 1).build();
      }
      if (request.getIfVersion() != 0 && request.getIfVersion() != inForce.getVersion()) {
        if (!request.getChangeId().isEmpty()) {
          supply.settle(false);
        }
        answer.onError(TestSupply.stale());
        return;
      }
      AccessConfiguration.Builder wanted = request.getConfiguration().toBuilder();
      if (!request.getWithVaults() && wanted.getVaultsCount() == 0) {
        wanted.addAllVaults(inForce.getVaultsList());
      }
      if (inForce.hasJointChange()) {
        wanted.setJointChange(inForce.getJointChange());
      }
      PrepareChangeRequest change = request.getValidateOnly() ? null : supply.prepared;
      boolean isJoint = change != null && change.hasConfiguration();
      AccessConfiguration same = wanted.setVersion(inForce.getVersion()).build();
      AccessConfiguration next =
          same.equals(inForce) && !isJoint
              ? same
              : wanted.setVersion(inForce.getVersion() + 1).build();
      StatusRuntimeException lost = loseNextAnswer;
      if (!request.getValidateOnly()) {
        inForce = next;
        if (change != null && isJoint) {
          inForce =
              next.toBuilder()
                  .setJointChange(
                      JointChange.newBuilder()
                          .setId(change.getChangeId())
                          .setResourceVersion(change.getBaseVersion() + 1)
                          .setAccessVersion(next.getVersion()))
                  .build();
        }
        if (!settlesLater) {
          supply.settle(true);
        }
        if (lost != null) {
          loseNextAnswer = null;
          answer.onError(lost);
          return;
        }
      }
      send(
          answer,
          ReplaceAccessConfigurationResponse.newBuilder()
              .setConfiguration(next)
              .setResourceVersion(supply.provisioned.getVersion())
              .addAllWarnings(warnings)
              .build());
    }
  }

  final class Vaults extends VaultServiceGrpc.VaultServiceImplBase {
    @Override
    public void listVaults(ListVaultsRequest request, StreamObserver<ListVaultsResponse> answer) {
      send(answer, ListVaultsResponse.newBuilder().addAllVaults(inForce.getVaultsList()).build());
    }
  }

  final class Policies extends PolicyServiceGrpc.PolicyServiceImplBase {
    @Override
    public void listDepartments(
        ListDepartmentsRequest request, StreamObserver<ListDepartmentsResponse> answer) {
      send(
          answer,
          ListDepartmentsResponse.newBuilder()
              .addAllDepartments(inForce.getDepartmentsList())
              .build());
    }

    @Override
    public void listPolicies(
        ListPoliciesRequest request, StreamObserver<ListPoliciesResponse> answer) {
      send(
          answer,
          ListPoliciesResponse.newBuilder().addAllPolicies(inForce.getPoliciesList()).build());
    }
  }

  final class Queues extends QueueServiceGrpc.QueueServiceImplBase {
    @Override
    public void listQueues(ListQueuesRequest request, StreamObserver<ListQueuesResponse> answer) {
      send(answer, ListQueuesResponse.newBuilder().addAllQueues(inForce.getQueuesList()).build());
    }
  }
}
