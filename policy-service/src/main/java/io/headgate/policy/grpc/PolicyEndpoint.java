package io.headgate.policy.grpc;

import com.google.protobuf.Empty;
import io.grpc.stub.StreamObserver;
import io.headgate.policy.core.access.AccessSpec.PolicySpec;
import io.headgate.policy.core.name.PolicyId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.grpc.Names.Child;
import io.headgate.policy.grpc.Pages.Page;
import io.headgate.policy.runtime.AccessConfigurations;
import io.headgate.policy.runtime.Once;
import io.headgate.proto.policy.v1.CreatePolicyRequest;
import io.headgate.proto.policy.v1.DeletePolicyRequest;
import io.headgate.proto.policy.v1.GetPolicyRequest;
import io.headgate.proto.policy.v1.ListPoliciesRequest;
import io.headgate.proto.policy.v1.ListPoliciesResponse;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.PolicyServiceGrpc;
import io.headgate.proto.policy.v1.UpdatePolicyRequest;
import java.util.List;
import java.util.Set;

/// Policies of a tenant.
final class PolicyEndpoint extends PolicyServiceGrpc.PolicyServiceImplBase {
  private static final String PATH = "policy";
  private static final String STOP_AFTER = "stop_after";
  private static final String STOP_AFTER_NEVER = "stop_after_never";
  private static final List<String> WRITABLE =
      List.of(
          "group",
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
          "description");

  private final AccessConfigurations access;
  private final Answers answers;
  private final Pages pages;
  private final Masks masks;

  PolicyEndpoint(AccessConfigurations access, Answers answers, Pages pages, Masks masks) {
    this.access = access;
    this.answers = answers;
    this.pages = pages;
    this.masks = masks;
  }

  @Override
  public void listPolicies(ListPoliciesRequest request, StreamObserver<ListPoliciesResponse> out) {
    answers.read(
        out,
        origin -> {
          TenantId tenant = Names.tenant("parent", request.getParent());
          Page<io.headgate.policy.core.access.Policy> page =
              pages.of(
                  Pages.Query.of(
                      "ListPolicies", tenant, request.getPageSize(), request.getPageToken()),
                  access.get(tenant).configuration().policies(),
                  policy -> policy.id().value());
          return ListPoliciesResponse.newBuilder()
              .addAllPolicies(
                  page.items().stream().map(each -> AccessMapping.toProto(tenant, each)).toList())
              .setNextPageToken(page.next())
              .build();
        });
  }

  @Override
  public void getPolicy(GetPolicyRequest request, StreamObserver<Policy> out) {
    answers.read(
        out,
        origin -> {
          Child<PolicyId> name = name("name", request.getName());
          return AccessMapping.toProto(name.tenant(), access.get(name.tenant(), name.id()));
        });
  }

  @Override
  public void createPolicy(CreatePolicyRequest request, StreamObserver<Policy> out) {
    answers.change(
        out,
        request.getParent() + "/" + AccessMapping.POLICIES + "/" + request.getPolicyId(),
        origin -> {
          TenantId tenant = Names.tenant("parent", request.getParent());
          Once<io.headgate.policy.core.access.Policy, Policy> once =
              Onces.of(request, made -> AccessMapping.toProto(tenant, made), Policy.parser());
          return access.create(
              origin,
              once,
              tenant,
              AccessMapping.spec(PATH, request.getPolicyId(), request.getPolicy()));
        });
  }

  @Override
  public void updatePolicy(UpdatePolicyRequest request, StreamObserver<Policy> out) {
    Policy wanted = request.getPolicy();
    answers.change(
        out,
        wanted.getName(),
        origin -> {
          Child<PolicyId> name = name("policy.name", wanted.getName());
          Set<String> fields = Masks.fields(request.getUpdateMask(), WRITABLE);
          return AccessMapping.toProto(
              name.tenant(),
              access.update(
                  origin,
                  name.tenant(),
                  name.id(),
                  (io.headgate.policy.core.access.Policy current) ->
                      merged(name, current, wanted, fields)));
        });
  }

  @Override
  public void deletePolicy(DeletePolicyRequest request, StreamObserver<Empty> out) {
    answers.change(
        out,
        request.getName(),
        origin -> {
          Child<PolicyId> name = name("name", request.getName());
          access.delete(origin, name.tenant(), name.id());
          return Empty.getDefaultInstance();
        });
  }

  /// Two fields say how long jobs run on without contact; who sets one of them means to unset the
  /// other.
  private PolicySpec merged(
      Child<PolicyId> name,
      io.headgate.policy.core.access.Policy current,
      Policy wanted,
      Set<String> fields) {
    Policy before = AccessMapping.toProto(name.tenant(), current);
    Policy.Builder next = masks.merged(PATH, before, wanted, fields).toBuilder();
    if (!fields.contains(STOP_AFTER) && next.getStopAfterNever()) {
      next.clearStopAfter();
    }
    if (!fields.contains(STOP_AFTER_NEVER) && fields.contains(STOP_AFTER)) {
      next.clearStopAfterNever();
    }
    return AccessMapping.spec(PATH, name.id().value(), next.build());
  }

  private static Child<PolicyId> name(String field, String name) {
    return Names.child(field, name, AccessMapping.POLICIES, PolicyId::new);
  }
}
