package io.headgate.sdk.gate;

import static io.headgate.sdk.gate.TestSupply.send;

import io.grpc.stub.StreamObserver;
import io.headgate.proto.scheduler.v1.PlanConfigurationRequest;
import io.headgate.proto.scheduler.v1.PlanConfigurationResponse;
import io.headgate.proto.scheduler.v1.PlanServiceGrpc;
import org.jspecify.annotations.Nullable;

/// The effects of a configuration that a test prescribes.
public final class TestPlans extends PlanServiceGrpc.PlanServiceImplBase {
  /// null: the scheduler cannot compute the effects.
  public @Nullable PlanConfigurationResponse answer =
      PlanConfigurationResponse.getDefaultInstance();

  public @Nullable PlanConfigurationRequest asked;

  @Override
  public void planConfiguration(
      PlanConfigurationRequest request, StreamObserver<PlanConfigurationResponse> out) {
    asked = request;
    if (answer == null) {
      super.planConfiguration(request, out);
    } else {
      send(out, answer);
    }
  }
}
