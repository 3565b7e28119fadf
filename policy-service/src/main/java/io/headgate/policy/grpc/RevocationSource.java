package io.headgate.policy.grpc;

import io.headgate.kit.auth.Revocations.News;
import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.watch.WatchParts;
import io.headgate.kit.watch.WatchSource;
import io.headgate.policy.runtime.Changes;
import io.headgate.proto.policy.v1.Revocation;
import io.headgate.proto.policy.v1.WatchRevocationsResponse;
import java.util.List;

/// One watcher's view of the revocations. Confined to the watch's thread.
final class RevocationSource implements WatchSource<WatchRevocationsResponse> {
  private final Changes changes;
  private String incarnation;

  /// @param incarnation of the watcher's version
  RevocationSource(Changes changes, String incarnation) {
    this.changes = changes;
    this.incarnation = incarnation;
  }

  @Override
  public Step<WatchRevocationsResponse> read(long version) {
    WatchPosition seen = new WatchPosition(incarnation, version);
    News news = changes.read(tables -> tables.revocations().since(seen));
    incarnation = news.position().incarnation();
    if (!news.isSnapshot() && news.revocations().isEmpty()) {
      return new Step<>(news.position().version(), List.of());
    }
    return new Step<>(
        news.position().version(),
        WatchParts.split(
            message(news), WatchParts.BOUND, WatchRevocationsResponse.LAST_FIELD_NUMBER));
  }

  @Override
  public WatchRevocationsResponse alive(long version) {
    return WatchRevocationsResponse.newBuilder()
        .setIncarnation(incarnation)
        .setVersion(version)
        .setLast(true)
        .build();
  }

  private static WatchRevocationsResponse message(News news) {
    return WatchRevocationsResponse.newBuilder()
        .setIncarnation(news.position().incarnation())
        .setVersion(news.position().version())
        .setSnapshot(news.isSnapshot())
        .setLast(true)
        .addAllRevocations(
            news.revocations().stream()
                .map(each ->
                    Revocation.newBuilder().setName(each.name()).setVersion(each.version()).build())
                .toList())
        .build();
  }
}
