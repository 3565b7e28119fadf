package io.headgate.kit.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.headgate.kit.client.Channels;
import io.headgate.kit.client.TokenSource;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.telemetry.Telemetry;
import java.util.List;
import java.util.function.Consumer;

/// Checks that a service counts its refusals, each under a series that was there before.
public record DenialCheck(ScrapedTelemetry scraped, ApiServer server) {
  /// Makes a call that is refused, and checks what counts it.
  ///
  /// @param method its name without its service; empty: the refusal names none
  public void counts(TokenSource token, Consumer<Channel> call, String method, String reason) {
    double before = count(method, reason);
    assertThat(before).as("before it was refused").isZero();
    ManagedChannel channel =
        Channels.open(TestChannels.patient(server.uri()), token, Telemetry.disabled());
    try {
      assertThat(catchThrowable(() -> call.accept(channel))).as("refused").isNotNull();
    } finally {
      channel.shutdownNow();
    }
    assertThat(count(method, reason)).isEqualTo(1);
  }

  private double count(String method, String reason) {
    List<String> lines =
        scraped.scrape().stream()
            .filter(line -> line.startsWith("headgate_auth_denied_total{"))
            .filter(line -> line.contains("headgate_reason=\"" + reason + "\""))
            .filter(line ->
                method.isEmpty()
                    ? !line.contains("headgate_method=")
                    : line.contains("headgate_method=\"" + method + "\""))
            .toList();
    assertThat(lines).as("%s %s", method, reason).hasSize(1);
    String line = lines.getFirst();
    return Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
  }
}
