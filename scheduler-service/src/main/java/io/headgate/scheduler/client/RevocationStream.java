package io.headgate.scheduler.client;

import io.grpc.Channel;
import io.headgate.kit.auth.RevocationWatch;
import io.headgate.kit.auth.Revocations.News;
import io.headgate.kit.auth.Revocations.Revocation;
import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.watch.WatchParts;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.WatchRevocationsRequest;
import io.headgate.proto.policy.v1.WatchRevocationsResponse;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/// Opens policy-service's stream of tokens that ended before their time.
///
/// @param channel with the token of a service
public record RevocationStream(Channel channel) implements RevocationWatch.Source {
  @Override
  public Iterator<News> open(WatchPosition from) {
    Iterator<WatchRevocationsResponse> parts =
        TokenServiceGrpc.newBlockingStub(channel)
            .watchRevocations(
                WatchRevocationsRequest.newBuilder()
                    .setIncarnation(from.incarnation())
                    .setVersion(from.version())
                    .build());
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return parts.hasNext();
      }

      @Override
      public News next() {
        List<WatchRevocationsResponse> step = new ArrayList<>();
        do {
          step.add(parts.next());
        } while (!step.getLast().getLast());
        return news(WatchParts.join(step));
      }
    };
  }

  private static News news(WatchRevocationsResponse step) {
    return new News(
        new WatchPosition(step.getIncarnation(), step.getVersion()),
        step.getSnapshot(),
        step.getRevocationsList().stream()
            .map(each -> new Revocation(each.getVersion(), each.getName()))
            .toList());
  }
}
