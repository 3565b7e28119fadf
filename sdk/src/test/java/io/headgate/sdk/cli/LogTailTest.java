package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.ReadJobLogsRequest;
import io.headgate.proto.scheduler.v1.ReadJobLogsResponse;
import io.headgate.proto.scheduler.v1.ReadJobLogsResponse.Stream;
import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.gate.TestGate;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `logs --tail` counts lines of each stream, while servers count bytes.
class LogTailTest {
  private static final int PIECE = 64 << 10;

  private final TestGate gate = TestGate.open();
  @TempDir Path home;
  private String out = "";
  private String err = "";
  private int rotated;

  @BeforeEach
  void serveLikeAnAgent() {
    gate.jobs.put(Job.newBuilder().setName("tenants/acme/jobs/a").build());
    gate.jobs.logs =
        (request, answer) -> {
          send(request, Stream.STREAM_STDOUT, out, answer);
          send(request, Stream.STREAM_STDERR, err, answer);
          answer.onCompleted();
        };
  }

  @AfterEach
  void close() {
    gate.close();
  }

  @Test
  void showsTheLastLinesOfEachStream() {
    out = "o1\no2\no3\n";
    err = "e1\ne2\ne3 without an end";

    Result two = cli("--tail", "2");
    assertThat(two.out()).isEqualTo("o2\no3\n");
    assertThat(two.err()).isEqualTo("e2\ne3 without an end");
    assertThat(cli("--tail", "9").out()).isEqualTo(out);
    assertThat(cli("--tail", "1", "-f").out()).isEqualTo("o3\n");
  }

  @Test
  void asksForMoreUntilThereAreEnoughLines() {
    out = lines(60_000);

    assertThat(cli("--tail", "50000").out()).isEqualTo(lines(10_001, 60_000));
    assertThat(cli("--tail", "70000").out()).isEqualTo(out);
    assertThat(cli("--tail", "3").out()).isEqualTo(lines(59_998, 60_000));
  }

  @Test
  void endsWhereRotationHasDroppedTheRest() {
    out = lines(60_000);
    rotated = out.indexOf("line 40001\n");

    assertThat(cli("--tail", "50000").out()).isEqualTo(lines(40_001, 60_000));
  }

  @Test
  void aNumberOfLinesIsOneOrMore() {
    assertThat(cli("--tail", "0").exitCode()).isEqualTo(2);
    assertThat(cli("--tail", "0").err()).contains("\"0\" is not a number of lines for --tail");
  }

  private void send(
      ReadJobLogsRequest request,
      Stream stream,
      String text,
      StreamObserver<ReadJobLogsResponse> answer) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    long tail = request.getTailBytes();
    int begin = tail == 0 ? rotated : (int) Math.max(rotated, Math.max(0, bytes.length - tail));
    for (int at = Math.min(begin, bytes.length); at < bytes.length; at += PIECE) {
      answer.onNext(
          ReadJobLogsResponse.newBuilder()
              .setStream(stream)
              .setData(
                  ByteString.copyFrom(
                      Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + PIECE))))
              .setAttempt(1)
              .setOffset(at)
              .build());
    }
  }

  private static String lines(int last) {
    return lines(1, last);
  }

  private static String lines(int first, int last) {
    return IntStream.rangeClosed(first, last)
        .mapToObj(number -> "line " + number + "\n")
        .collect(Collectors.joining());
  }

  private Result cli(String... flags) {
    String[] arguments = new String[flags.length + 2];
    arguments[0] = "logs";
    arguments[1] = "a";
    System.arraycopy(flags, 0, arguments, 2, flags.length);
    return TestCli.at(gate, home).run(arguments);
  }
}
