package io.headgate.policy.grpc;

import com.google.protobuf.Empty;
import io.grpc.stub.StreamObserver;
import io.headgate.policy.core.access.AccessSpec.PolicySpec;
import io.headgate.policy.core.name.PolicyId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.grpc.ResourceCalls.Creation;
import io.headgate.policy.grpc.ResourceCalls.ListRequest;
import io.headgate.policy.grpc.ResourceCalls.Update;
import io.headgate.policy.runtime.AccessConfigurations;
import io.headgate.policy.runtime.TenantResources;
import io.headgate.proto.policy.v1.CreatePolicyRequest;
import io.headgate.proto.policy.v1.DeletePolicyRequest;
import io.headgate.proto.policy.v1.GetPolicyRequest;
import io.headgate.proto.policy.v1.ListDepartmentsRequest;
import io.headgate.proto.policy.v1.ListDepartmentsResponse;
import io.headgate.proto.policy.v1.ListPoliciesRequest;
import io.headgate.proto.policy.v1.ListPoliciesResponse;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.PolicyServiceGrpc;
import io.headgate.proto.policy.v1.UpdatePolicyRequest;
import java.util.List;
import java.util.Set;

/// Policies of a tenant, and the departments above them.
final class PolicyEndpoint extends PolicyServiceGrpc.PolicyServiceImplBase {
  private static final String FIELD = "policy";
  private static final String STOP_AFTER = "stop_after";
  private static final String STOP_AFTER_NEVER = "stop_after_never";
  private static final ResourceCalls.Form<
          PolicyId, io.headgate.policy.core.access.Policy, PolicySpec, Policy>
      FORM =
          new ResourceCalls.Form<>(
              AccessMapping.POLICIES,
              FIELD,
              List.of(
                  "group",
                  "department",
                  "reservation",
                  "limit",
                  "weight",
                  "per_user_limit",
                  "exceed_limit",
                  "on_preempt",
                  "min_runtime",
                  "preemptible",
                  "preempt_within",
                  STOP_AFTER,
                  STOP_AFTER_NEVER,
                  "preempt_after",
                  "grace",
                  "budget",
                  "description"),
              PolicyId::new,
              io.headgate.policy.core.access.Policy::id,
              AccessMapping::toProto,
              (id, policy) -> AccessMapping.spec(FIELD, id, policy),
              PolicyEndpoint::resolveConflicts,
              Policy.parser());

  private final ResourceCalls<PolicyId, io.headgate.policy.core.access.Policy, PolicySpec, Policy>
      calls;

  private final AccessConfigurations configurations;
  private final Answers answers;

  PolicyEndpoint(
      TenantResources<PolicyId, io.headgate.policy.core.access.Policy, PolicySpec> resources,
      AccessConfigurations configurations,
      ResourceCalls.Tools tools) {
    this.calls = new ResourceCalls<>(resources, FORM, tools);
    this.configurations = configurations;
    this.answers = tools.answers();
  }

  @Override
  public void listPolicies(ListPoliciesRequest request, StreamObserver<ListPoliciesResponse> out) {
    calls.list(
        out,
        new ListRequest(request.getParent(), request.getPageSize(), request.getPageToken()),
        (items, next) ->
            ListPoliciesResponse.newBuilder().addAllPolicies(items).setNextPageToken(next).build());
  }

  @Override
  public void getPolicy(GetPolicyRequest request, StreamObserver<Policy> out) {
    calls.get(out, request.getName());
  }

  @Override
  public void listDepartments(
      ListDepartmentsRequest request, StreamObserver<ListDepartmentsResponse> out) {
    answers.read(
        out,
        origin -> {
          TenantId tenant = Names.tenant("parent", request.getParent());
          return ListDepartmentsResponse.newBuilder()
              .addAllDepartments(
                  configurations.departments(origin.required(), tenant).stream()
                      .map(department -> AccessMapping.toProto(tenant, department))
                      .toList())
              .build();
        });
  }

  @Override
  public void createPolicy(CreatePolicyRequest request, StreamObserver<Policy> out) {
    calls.create(
        out,
        request,
        new Creation<>(request.getParent(), request.getPolicyId(), request.getPolicy()));
  }

  @Override
  public void updatePolicy(UpdatePolicyRequest request, StreamObserver<Policy> out) {
    calls.update(
        out,
        new Update<>(request.getPolicy().getName(), request.getPolicy(), request.getUpdateMask()));
  }

  @Override
  public void deletePolicy(DeletePolicyRequest request, StreamObserver<Empty> out) {
    calls.delete(out, request.getName());
  }

  /// Two fields set the time that jobs continue without contact; setting one of them unsets the
  /// other.
  private static Policy resolveConflicts(Policy merged, Set<String> fields) {
    Policy.Builder next = merged.toBuilder();
    if (!fields.contains(STOP_AFTER) && next.getStopAfterNever()) {
      next.clearStopAfter();
    }
    if (!fields.contains(STOP_AFTER_NEVER) && fields.contains(STOP_AFTER)) {
      next.clearStopAfterNever();
    }
    return next.build();
  }
}
