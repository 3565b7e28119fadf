package io.headgate.scheduler;

import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.client.PortProbe;
import io.headgate.scheduler.runtime.leadership.Group;
import io.headgate.scheduler.runtime.leadership.GroupView;
import io.headgate.scheduler.runtime.leadership.Members;
import java.time.Duration;
import java.util.List;

/// A failure detector that sees what a test tells it to.
final class FakeMembers implements Members {
  private final GroupView view = new GroupView(TimeSource.system());

  /// Sets the members present from now on, oldest first.
  FakeMembers sees(String... names) {
    view.see(List.of(names));
    return this;
  }

  @Override
  public void start() {
    // It sees from the beginning.
  }

  @Override
  public Group group() {
    return view.group();
  }

  @Override
  public void awaitChange(Duration atMost) throws InterruptedException {
    view.awaitChange(atMost);
  }

  @Override
  public boolean refuses(String address) {
    return PortProbe.isRefused(address);
  }

  @Override
  public void close() {
    view.close();
  }
}
