package io.headgate.policy;

import io.grpc.ManagedChannel;
import io.headgate.kit.client.Channels;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ApiServerConfig;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.TestChannels;
import io.headgate.proto.policy.v1.CreateGroupRequest;
import io.headgate.proto.policy.v1.ExchangeKeyRequest;
import io.headgate.proto.policy.v1.ExchangeKeyResponse;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.GroupServiceGrpc;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import java.util.Optional;

/// Another process of the service on the same database and the same secrets.
record SecondInstance(PolicyService service, ApiServer server, ManagedChannel channel)
    implements AutoCloseable {
  static SecondInstance of(DatabaseConfig database, PolicyFixture first) {
    PolicyService service =
        new PolicyService(
            PolicyServiceConfig.of(
                database, TestChannels.patient(first.pools().uri()), first.secrets()),
            Telemetry.disabled(),
            first.clock());
    ApiServer.Builder api =
        ApiServer.builder(ApiServerConfig.of("127.0.0.1", 0), Telemetry.disabled())
            .authentication(service.verifier());
    service.register(api);
    ApiServer server = api.build();
    server.start();
    String token = first.exchange(first.adminKeys().getLast().reveal());
    ManagedChannel channel =
        Channels.open(
            TestChannels.patient(server.uri()), () -> Optional.of(token), Telemetry.disabled());
    return new SecondInstance(service, server, channel);
  }

  void createGroup(String tenant, String id) {
    GroupServiceGrpc.newBlockingStub(channel)
        .createGroup(
            CreateGroupRequest.newBuilder()
                .setParent("tenants/" + tenant)
                .setGroupId(id)
                .setGroup(Group.getDefaultInstance())
                .build());
  }

  ExchangeKeyResponse exchange(String key) {
    return TokenServiceGrpc.newBlockingStub(channel)
        .exchangeKey(ExchangeKeyRequest.newBuilder().setKey(key).build());
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.close();
    service.close();
  }
}
