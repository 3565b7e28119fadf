package io.headgate.kit.testing;

import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.config.ByteSize;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/// Channels of tests.
public final class TestChannels {
  private TestChannels() {}

  /// The defaults for `server`, with the patience that a machine needs which does ten other things
  /// at once: what a test says about answers must not depend on how soon they come.
  public static ChannelConfig patient(URI server) {
    return new ChannelConfig(
        server,
        Optional.empty(),
        Duration.ofMinutes(2),
        Duration.ofSeconds(20),
        ByteSize.ofMebibytes(16));
  }
}
