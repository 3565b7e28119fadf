package io.headgate.sdk.cli;

import com.google.protobuf.Timestamp;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.headgate.proto.policy.v1.ExchangeKeyResponse;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.WhoAmIResponse;
import io.headgate.proto.scheduler.v1.Attempt;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.ListJobsResponse;
import io.headgate.proto.scheduler.v1.Placement;
import io.headgate.proto.scheduler.v1.Reason;
import io.headgate.proto.scheduler.v1.Slice;
import io.headgate.proto.scheduler.v1.UsageKind;
import io.headgate.sdk.cli.frame.CliEnvironment;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

/// Runs typical short commands against a server in this process, so that the JDK can cache the
/// classes that they load: `java -XX:AOTCacheOutput=FILE … io.headgate.sdk.cli.StartUpTraining`.
/// Commands that run with `-XX:AOTCache=FILE` then start in half the time.
public final class StartUpTraining {
  private static final String SUBJECT_CLAIM = "e30.eyJzdWIiOiJ0ZW5hbnRzL3QvdXNlcnMvdSJ9.s";

  private StartUpTraining() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(tokens())
            .addService(jobs())
            .build()
            .start();
    Cli cli = new Cli(environment("http://127.0.0.1:" + server.getPort()));
    int failed = 0;
    for (List<String> words :
        List.of(
            List.of("version"),
            List.of("jobs"),
            List.of("jobs", "--color", "always", "-o", "wide"),
            List.of("jobs", "-o", "json"),
            List.of("whoami"),
            List.of("jobs", "--no-such-flag"),
            List.of("help"))) {
      failed += cli.run(words.toArray(String[]::new)) > 2 ? 1 : 0;
    }
    server.shutdownNow().awaitTermination();
    System.exit(failed);
  }

  private static CliEnvironment environment(String server) {
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
    return new CliEnvironment(
        Map.of("HEADGATE_SERVER", server, "HEADGATE_KEY", "training", "HOME", "/nonexistent"),
        InputStream.nullInputStream(),
        nowhere,
        nowhere,
        false,
        false,
        false,
        () -> 0,
        Clock.systemUTC(),
        ZoneOffset.UTC);
  }

  private static ServerServiceDefinition tokens() {
    return ServerServiceDefinition.builder(TokenServiceGrpc.SERVICE_NAME)
        .addMethod(
            TokenServiceGrpc.getExchangeKeyMethod(),
            ServerCalls.asyncUnaryCall((_, answer) -> {
              answer.onNext(ExchangeKeyResponse.newBuilder().setToken(SUBJECT_CLAIM).build());
              answer.onCompleted();
            }))
        .addMethod(
            TokenServiceGrpc.getWhoAmIMethod(),
            ServerCalls.asyncUnaryCall((_, answer) -> {
              answer.onNext(WhoAmIResponse.newBuilder().setSubject("tenants/t/users/u").build());
              answer.onCompleted();
            }))
        .build();
  }

  private static ServerServiceDefinition jobs() {
    return ServerServiceDefinition.builder(JobServiceGrpc.SERVICE_NAME)
        .addMethod(
            JobServiceGrpc.getListJobsMethod(),
            ServerCalls.asyncUnaryCall((_, answer) -> {
              answer.onNext(
                  ListJobsResponse.newBuilder().addJobs(running()).addJobs(waiting()).build());
              answer.onCompleted();
            }))
        .build();
  }

  private static Job running() {
    return Job.newBuilder()
        .setName("tenants/t/jobs/j-1")
        .setState(Job.State.STATE_RUNNING)
        .setGpus("1/2")
        .setCreateTime(Timestamp.newBuilder().setSeconds(1))
        .setUsageKind(UsageKind.USAGE_KIND_OVER_RESERVATION)
        .addAttempts(
            Attempt.newBuilder()
                .setNumber(1)
                .setPool("p")
                .addPlacements(
                    Placement.newBuilder()
                        .setNode("n")
                        .addSlices(Slice.newBuilder().setGpus("1/2"))))
        .build();
  }

  private static Job waiting() {
    return Job.newBuilder()
        .setName("tenants/t/jobs/j-2")
        .setState(Job.State.STATE_WAITING)
        .setGpus("3")
        .setPosition(1)
        .setCreateTime(Timestamp.newBuilder().setSeconds(1))
        .setExpectedStartTime(Timestamp.newBuilder().setSeconds(2))
        .setReason(Reason.newBuilder().setCode("LIMIT").setMessage("m").putDetail("limit", "9"))
        .build();
  }
}
