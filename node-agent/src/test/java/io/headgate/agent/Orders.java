package io.headgate.agent;

import com.google.protobuf.util.Durations;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.agent.v1.Forget;
import io.headgate.proto.agent.v1.Leadership;
import io.headgate.proto.agent.v1.ReadLogs;
import io.headgate.proto.agent.v1.SliceGrant;
import io.headgate.proto.agent.v1.Stop;
import io.headgate.proto.pool.v1.Node;
import java.util.List;

/// The scheduler's orders, for tests; a test changes only what matters to it.
final class Orders {
  private Orders() {}

  static String name(String job) {
    return "tenants/acme/jobs/" + job;
  }

  static Assign.Builder assign(Leadership by, String job, String script) {
    return Assign.newBuilder()
        .setLeadership(by)
        .setJob(name(job))
        .setAttempt(1)
        .setWorkers(1)
        .setQueue("half")
        .addAllCommand(List.of("bash", "-c", script))
        .setAbortTimeout(Durations.fromSeconds(10))
        .setTerminationGrace(Durations.fromSeconds(10))
        .setUser("ada");
  }

  static Assign.Builder withCallback(Assign.Builder assign, String script) {
    return assign.addAllAbortCommand(List.of("bash", "-c", script));
  }

  static SliceGrant.Builder slice(Node node, int device, String gpus) {
    return SliceGrant.newBuilder()
        .setDeviceIndex(device)
        .setDeviceUuid(node.getDevices(device).getUuid())
        .setGpus(gpus);
  }

  static ConnectResponse.Builder message(Assign.Builder assign) {
    return ConnectResponse.newBuilder().setAssign(assign);
  }

  static ConnectResponse.Builder stop(Leadership by, String job, Stop.Kind kind) {
    return ConnectResponse.newBuilder()
        .setStop(Stop.newBuilder().setLeadership(by).setJob(name(job)).setAttempt(1).setKind(kind));
  }

  static ConnectResponse.Builder forget(String job) {
    return ConnectResponse.newBuilder()
        .setForget(Forget.newBuilder().setJob(name(job)).setAttempt(1));
  }

  static ReadLogs.Builder readLogs(String readId, String job, long window) {
    return ReadLogs.newBuilder()
        .setReadId(readId)
        .setJob(name(job))
        .setAttempt(1)
        .setWindowBytes(window);
  }

  static ConnectResponse.Builder message(ReadLogs.Builder read) {
    return ConnectResponse.newBuilder().setReadLogs(read);
  }
}
