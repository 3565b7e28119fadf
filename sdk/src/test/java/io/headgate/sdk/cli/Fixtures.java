package io.headgate.sdk.cli;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.JsonFormat;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.scheduler.v1.Attempt;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobExplanation;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.proto.scheduler.v1.NodeUsage;
import io.headgate.proto.scheduler.v1.Placement;
import io.headgate.proto.scheduler.v1.PolicyUsage;
import io.headgate.proto.scheduler.v1.PoolUsage;
import io.headgate.proto.scheduler.v1.Preemption;
import io.headgate.proto.scheduler.v1.Progress;
import io.headgate.proto.scheduler.v1.QueueUsage;
import io.headgate.proto.scheduler.v1.Reason;
import io.headgate.proto.scheduler.v1.Slice;
import io.headgate.proto.scheduler.v1.SliceUse;
import io.headgate.proto.scheduler.v1.UsageKind;
import io.headgate.sdk.gate.TestGate;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/// A server with two teams, as the documentation of the command line shows them.
final class Fixtures {
  private Fixtures() {}

  static void fill(TestGate gate) {
    gate.supply.provisioned = resources();
    gate.rights.inForce = access();
    jobs(gate);
    usages(gate);
    gate.supply.allNodes.add(
        merge(
            Node.newBuilder(),
            """
            {"name": "tenants/acme/nodes/gpu-03", "pool": "onprem-rtx6000", "cpuMillis": "32000",
             "memoryBytes": "137438953472", "simulated": true, "driver": "simulated",
             "hostname": "gpu-03.acme.example", "agentVersion": "0.1.0", "state": "STATE_ACTIVE",
             "devices": [
              {"index": 0, "uuid": "SIM-0", "gpuModel": "RTX6000", "memoryBytes": "51539607552"},
              {"index": 1, "uuid": "SIM-1", "gpuModel": "RTX6000", "memoryBytes": "51539607552"}]}
            """));
  }

  static ResourceConfiguration resources() {
    return merge(
        ResourceConfiguration.newBuilder(),
        """
        {"tenant": "acme", "version": "12",
         "pools": [
          {"name": "tenants/acme/pools/cloud-burst", "type": "TYPE_ELASTIC",
           "elasticity": {"provider": "exec", "maxInstances": 4, "idleTimeout": "900s",
            "instance": {"gpus": 8, "gpuModel": "A100"}}},
          {"name": "tenants/acme/pools/onprem-rtx6000", "type": "TYPE_STATIC",
           "gpuModel": "RTX6000", "capacity": "16", "profileOrder": ["eight", "half"],
           "instance": {"gpus": 8, "gpuMemoryBytes": "51539607552"}}],
         "profiles": [
          {"name": "tenants/acme/profiles/eight", "gpus": "8", "pools": ["onprem-rtx6000"]},
          {"name": "tenants/acme/profiles/half", "gpus": "1/2", "cpuMillis": "4000",
           "memoryBytes": "17179869184", "pools": ["onprem-rtx6000", "cloud-burst"]}]}
        """);
  }

  static AccessConfiguration access() {
    return merge(
        AccessConfiguration.newBuilder(),
        """
        {"tenant": "acme", "version": "7",
         "groups": [
          {"name": "tenants/acme/groups/ai-dev", "users": ["ada", "grace"]},
          {"name": "tenants/acme/groups/research", "users": ["alan"]}],
         "policies": [
          {"name": "tenants/acme/policies/ai-dev", "group": "ai-dev", "reservation": "4",
           "limit": "10", "perUserLimit": "6"},
          {"name": "tenants/acme/policies/research", "group": "research", "reservation": "6",
           "limit": "8"}],
         "queues": [
          {"name": "tenants/acme/queues/ai-dev-eight", "policy": "ai-dev", "profile": "eight",
           "rank": 1},
          {"name": "tenants/acme/queues/ai-dev-half", "policy": "ai-dev", "profile": "half",
           "rank": 1},
          {"name": "tenants/acme/queues/research-half", "policy": "research", "profile": "half",
           "rank": 2, "overReservation": "OVER_RESERVATION_DENY", "paused": true}]}
        """);
  }

  private static void jobs(TestGate gate) {
    gate.jobs.put(
        job("big-1", "ai-dev-eight", Job.State.STATE_WAITING, "26m")
            .setProfile("eight")
            .setGpus("8")
            .setPosition(1)
            .setReason(reason("HOLDING", "gpu-07, 6 of 8 free"))
            .setExpectedStartTime(time("-1h10m"))
            .build());
    gate.jobs.put(
        job("train-7", "ai-dev-half", Job.State.STATE_WAITING, "4m")
            .setPosition(3)
            .setReason(reason("USER_LIMIT", "ada uses 6 of 6 in ai-dev"))
            .setExpectedStartTime(time("-32m"))
            .build());
    gate.jobs.put(
        job("train-5", "ai-dev-half", Job.State.STATE_STOPPING, "40m")
            .setAttempt(1)
            .addAttempts(
                attempt(1, 1)
                    .setPreemption(
                        Preemption.newBuilder()
                            .setByJob("infer-2")
                            .setRule("P1")
                            .setMessage("research 4 + 1/2 <= 6; ai-dev 9 > 4, last started")))
            .build());
    gate.jobs.put(
        job("train-4", "ai-dev-half", Job.State.STATE_RUNNING, "2h11m")
            .setAttempt(2)
            .setSimulated(true)
            .setUsageKind(UsageKind.USAGE_KIND_OVER_RESERVATION)
            .addAttempts(
                attempt(2, 1)
                    .setProgress(
                        Progress.newBuilder()
                            .setFraction(0.4)
                            .setMessage("epoch 3")
                            .setReportTime(time("5s")))
                    .setCheckpointTime(time("3m"))
                    .setUse(
                        SliceUse.newBuilder()
                            .setBusyMillis(800_000)
                            .setMeasuredMillis(1_170_000)
                            .setUtilization(0.62)
                            .setMemoryBytes(13_300_000_000L)))
            .build());
    gate.jobs.put(
        job("hello-1", "ai-dev-half", Job.State.STATE_FAILED, "50m")
            .setAttempt(1)
            .setExitCode(3)
            .addAttempts(attempt(1, 0).setOutcome(Attempt.Outcome.OUTCOME_FAILED).setExitCode(3))
            .build());
    gate.jobs.events.add(event(8810, "20s", Event.Type.TYPE_STARTED, "train-4", ""));
    gate.jobs.events.add(
        event(8811, "10s", Event.Type.TYPE_PREEMPTED, "train-5", "preempted by infer-2 (P1)")
            .toBuilder()
            .setPreemption(Preemption.newBuilder().setByJob("infer-2").setRule("P1"))
            .build());
  }

  static Job.Builder job(String id, String queue, Job.State state, String age) {
    return Job.newBuilder()
        .setName("tenants/acme/jobs/" + id)
        .setSpec(JobSpec.newBuilder().setQueue(queue).addCommand("python").addCommand("train.py"))
        .setState(state)
        .setUser("ada")
        .setPolicy("ai-dev")
        .setProfile("half")
        .setGpus("1/2")
        .setWorkers(1)
        .setCreateTime(time(age));
  }

  static Attempt.Builder attempt(int number, int device) {
    return Attempt.newBuilder()
        .setNumber(number)
        .setPool("onprem-rtx6000")
        .setStartTime(time("39m"))
        .addPlacements(
            Placement.newBuilder()
                .setNode("gpu-03")
                .addSlices(Slice.newBuilder().setDeviceIndex(device).setGpus("1/2")));
  }

  private static Reason reason(String code, String message) {
    return Reason.newBuilder().setCode(code).setMessage(message).build();
  }

  private static Event event(
      long version, String age, Event.Type type, String job, String message) {
    return Event.newBuilder()
        .setVersion(version)
        .setTime(time(age))
        .setType(type)
        .setJob(job)
        .setPolicy("ai-dev")
        .setAttempt(1)
        .setMessage(message)
        .addPlacements(attempt(1, 1).getPlacements(0))
        .build();
  }

  private static void usages(TestGate gate) {
    gate.usage.pools.add(
        merge(
            PoolUsage.newBuilder(),
            """
            {"pool": "onprem-rtx6000", "capacity": "16", "used": "29/2", "held": "1", "idle": "1/2",
             "down": "0", "liveNodes": 2, "nodes": 2, "runningJobs": "29"}
            """));
    gate.usage.policies.add(
        merge(
            PolicyUsage.newBuilder(),
            """
            {"policy": "ai-dev", "used": "19/2", "entitled": "4", "overReservation": "11/2",
             "reservation": "4", "limit": "10", "demand": "11", "runningJobs": "18",
             "waitingJobs": "22", "oldestWaitingTime": "2026-11-21T13:34:00Z"}
            """));
    gate.usage.policies.add(
        merge(
            PolicyUsage.newBuilder(),
            """
            {"policy": "research", "used": "4", "entitled": "4", "overReservation": "0",
             "reservation": "6", "limit": "8", "demand": "2", "runningJobs": "5",
             "waitingJobs": "19", "oldestWaitingTime": "2026-11-21T13:57:00Z"}
            """));
    gate.usage.queues.add(
        merge(
            QueueUsage.newBuilder(),
            """
            {"queue": "ai-dev-half", "policy": "ai-dev", "profile": "half", "used": "19/2",
             "runningJobs": "18", "waitingJobs": "21",
             "headReason": {"code": "USER_LIMIT", "message": "ada uses 6 of 6 in ai-dev"},
             "oldestWaitingTime": "2026-11-21T13:34:00Z"}
            """));
    gate.usage.nodes.add(
        merge(
            NodeUsage.newBuilder(),
            """
            {"node": "gpu-03", "pool": "onprem-rtx6000", "contact": "CONTACT_CONNECTED",
             "lastContactTime": "2026-11-21T13:59:58Z", "usedCpuMillis": "8000",
             "jobs": ["train-4", "train-5"], "runsImages": true,
             "devices": [{"index": 0, "used": "0"}, {"index": 1, "used": "1"}]}
            """));
  }

  /// The seed example after its last step.
  static JobExplanation explanation() {
    return merge(
        JobExplanation.newBuilder(),
        """
        {"job": {"name": "tenants/acme/jobs/r-1", "state": "STATE_WAITING"},
         "verdict": "r-1 waits for CAPACITY: needs 3 GPUs in onprem, 2 are idle.\\nIt was preempted by e-0 at 10:00:20 (rule P1); it keeps its original place: position 1 of 4 in rnd-3.",
         "startChecks": [
          {"rule": "A1", "subject": "access", "result": "RESULT_OK",
           "message": "queue rnd-3 open, alice is in group rnd"},
          {"rule": "A2", "subject": "limit", "result": "RESULT_OK",
           "message": "rnd uses 3 + needs 3 = 6 <= 9"},
          {"rule": "A5", "subject": "queue", "result": "RESULT_OK",
           "message": "over-reservation allowed"},
          {"rule": "A6", "subject": "fit", "result": "RESULT_NO",
           "message": "onprem 10 GPUs: rnd 3, devops 5, idle 2 (a-0: devices 5, 9)"}],
         "preemptionChecks": [
          {"rule": "P1", "subject": "entitled", "result": "RESULT_NO",
           "message": "rnd 3 + 3 = 6 > reservation 5"},
          {"rule": "P2", "subject": "victims",
           "message": "devops is at its reservation (5 of 5): none of its jobs may go anyway"}],
         "unblocking": [
          "1 GPU more in onprem becomes free: d-0 declared at most 2 h: by 12:00:10 at the latest",
          "1 GPU joins onprem on a node where 2 are idle"],
         "history": [
          {"time": "2026-11-21T10:00:00Z", "type": "TYPE_STARTED", "attempt": 1,
           "placements": [{"node": "a-0", "slices": [
             {"deviceIndex": 3}, {"deviceIndex": 4}, {"deviceIndex": 5}]}]},
          {"time": "2026-11-21T10:00:20Z", "type": "TYPE_PREEMPTED",
           "message": "preempted by e-0 (P1: devops 3 + 2 <= 5; rnd 6 > 5, last started)"}],
         "version": "8812", "time": "2026-11-21T14:00:00Z"}
        """);
  }

  /// Explanations of a running job and of the only waiting job of its queue.
  static Map<String, JobExplanation> explanations() {
    JobExplanation runs =
        merge(
            JobExplanation.newBuilder(),
            """
            {"job": {"name": "tenants/acme/jobs/train-4", "state": "STATE_RUNNING"},
             "verdict": "train-4 runs on gpu-03 device 1 (1/2) of onprem-rtx6000.",
             "preemptionChecks": [
              {"rule": "P2", "subject": "reservation", "result": "RESULT_NO",
               "message": "may be a victim of an entitled job: ai-dev 9, reservation 4"}],
             "history": [
              {"time": "2026-11-21T11:49:00Z", "type": "TYPE_SUBMITTED",
               "message": "train-4 is submitted to ai-dev-half"},
              {"time": "2026-11-21T11:49:00Z", "type": "TYPE_STOP_PHASE",
               "message": "train-4: callback ok after 55 ms"}],
             "version": "8812", "time": "2026-11-21T14:00:00Z"}
            """);
    JobExplanation failed =
        merge(
            JobExplanation.newBuilder(),
            """
            {"job": {"name": "tenants/acme/jobs/hello-1", "state": "STATE_FAILED", "attempt": 1,
                     "attempts": [{"number": 1, "exitCode": 127,
                                   "error": "program not found: helo; searched PATH /usr/bin:/bin"}]},
             "verdict": "hello-1 failed with exit code 127.",
             "version": "8812", "time": "2026-11-21T14:00:00Z"}
            """);
    JobExplanation waits =
        merge(
            JobExplanation.newBuilder(),
            """
            {"job": {"name": "tenants/acme/jobs/big-1", "state": "STATE_WAITING",
                     "spec": {"queue": "ai-dev-eight"}, "expectedStartTime": "2026-11-21T15:10:00Z",
                     "reason": {"code": "HOLDING", "message": "gpu-07, 6 of 8 free"}},
             "verdict": "big-1 waits for HOLDING: gpu-07, 6 of 8 free.\\nIt starts by 2026-11-21T14:18:00Z at the latest.",
             "ahead": [], "version": "8812", "time": "2026-11-21T14:00:00Z"}
            """);
    JobExplanation took =
        merge(
            JobExplanation.newBuilder(),
            """
            {"job": {"name": "tenants/acme/jobs/infer-1", "state": "STATE_RUNNING"},
             "verdict": "infer-1 runs on gpu-03 device 1 (1/2) of onprem-rtx6000.",
             "preemptions": [
              {"time": "2026-11-21T11:48:00Z", "type": "TYPE_PREEMPTED", "job": "another team's job",
               "message": "another team's job made room for infer-1 (rule P1)",
               "preemption": {"byJob": "infer-1", "rule": "P1"}},
              {"time": "2026-11-21T11:49:00Z", "type": "TYPE_PREEMPTED", "job": "gang-1",
               "message": "gang-1 is preempted by infer-1 (rule P1): ops used 0 of its reservation 4 and needed 1/2, ai-dev used 16 of 8",
               "preemption": {"byJob": "infer-1", "rule": "P1",
                              "weighed": "no smaller job of its standing may go; it is first in the order of victims; it frees 16 GPUs and loses 5h of GPU time"}}],
             "version": "8812", "time": "2026-11-21T14:00:00Z"}
            """);
    JobExplanation gave =
        merge(
            JobExplanation.newBuilder(),
            """
            {"job": {"name": "tenants/acme/jobs/gang-1", "state": "STATE_STOPPING"},
             "verdict": "gang-1 is stopping.",
             "history": [
              {"time": "2026-11-21T11:49:00Z", "type": "TYPE_PREEMPTED", "job": "gang-1",
               "message": "gang-1 is preempted by another team's job (rule P1)",
               "preemption": {"byJob": "another team's job", "rule": "P1",
                              "weighed": "no smaller job of its standing suffices; it frees 16 GPUs and loses 5h of GPU time"}}],
             "version": "8812", "time": "2026-11-21T14:00:00Z"}
            """);
    return Map.of(
        "tenants/acme/jobs/infer-1", took,
        "tenants/acme/jobs/gang-1", gave,
        "tenants/acme/jobs/train-4", runs,
        "tenants/acme/jobs/hello-1", failed,
        "tenants/acme/jobs/big-1", waits);
  }

  static Timestamp time(String ago) {
    boolean future = ago.startsWith("-");
    Duration age =
        io.headgate.sdk.config.DurationText.parse(future ? ago.substring(1) : ago).orElseThrow();
    Instant time = future ? TestCli.NOW.plus(age) : TestCli.NOW.minus(age);
    return Timestamp.newBuilder().setSeconds(time.getEpochSecond()).build();
  }

  static <M> M merge(com.google.protobuf.Message.Builder builder, String json) {
    try {
      JsonFormat.parser().merge(json, builder);
    } catch (com.google.protobuf.InvalidProtocolBufferException e) {
      throw new IllegalArgumentException(json, e);
    }
    @SuppressWarnings("unchecked")
    M message = (M) builder.build();
    return message;
  }
}
