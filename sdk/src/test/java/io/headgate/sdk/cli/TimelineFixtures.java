package io.headgate.sdk.cli;

import static io.headgate.sdk.cli.Fixtures.merge;

import io.headgate.proto.scheduler.v1.UsageInterval;
import io.headgate.sdk.gate.TestUsageReports;

/// An hour of a node with four GPUs, of which the first is free, and the last down at the end.
final class TimelineFixtures {
  private TimelineFixtures() {}

  static void fill(TestUsageReports reports) {
    reports.now = reports.now.toBuilder().setSeconds(1_795_269_600L).build();
    add(
        reports,
        1,
        "1",
        "12:40:00",
        "13:30:00",
        """
        "job": "train-4", "attempt": 1, "user": "ada", "policy": "ai-dev", "queue": "ai-dev-one",
        "profile": "one", "entitled": "1", "overReservation": "0", "aboveLimit": "0"\
        """);
    add(
        reports,
        2,
        "1/2",
        "13:05:00",
        "13:20:00",
        """
        "job": "infer-1", "attempt": 2, "user": "alan", "policy": "research", "queue": "infer",
        "profile": "half", "entitled": "1/2", "overReservation": "0", "aboveLimit": "0",
        "preempted": true\
        """);
    add(
        reports,
        2,
        "1/2",
        "13:10:00",
        "",
        """
        "job": "infer-2", "attempt": 1, "user": "alan", "policy": "research", "queue": "infer",
        "profile": "half", "entitled": "0", "overReservation": "0", "aboveLimit": "1/2"\
        """);
    add(reports, 2, "1/2", "13:25:00", "13:40:00", "\"job\": \"\"");
    add(
        reports,
        1,
        "1",
        "13:30:00",
        "",
        """
        "job": "train-4", "attempt": 1, "user": "ada", "policy": "ai-dev", "queue": "ai-dev-one",
        "profile": "one", "entitled": "1/2", "overReservation": "1/2", "aboveLimit": "0",
        "stoppingTime": "2026-11-21T13:55:00Z"\
        """);
    add(
        reports,
        3,
        "1",
        "13:30:00",
        "13:33:00",
        """
        "job": "eval-with-a-long-name-17", "attempt": 1, "user": "ada", "policy": "ai-dev",
        "queue": "q", "profile": "one", "entitled": "1"\
        """);
    add(
        reports,
        3,
        "1",
        "13:40:00",
        "13:40:05",
        """
        "job": "", "attempt": 1, "user": "ada", "policy": "ai-dev", "queue": "q",
        "profile": "one", "entitled": "1"\
        """);
    add(
        reports,
        2,
        "1/2",
        "13:45:00",
        "",
        """
        "held": true, "job": "r-1", "user": "<&\\"ada\\">", "policy": "ai-dev", "queue": "q",
        "profile": "half"\
        """);
    add(reports, 3, "1", "13:47:00", "13:55:00", "\"down\": true");
    add(reports, 3, "1", "13:55:00", "", "\"down\": true");
  }

  private static void add(
      TestUsageReports reports,
      int device,
      String quantity,
      String from,
      String until,
      String rest) {
    String end = until.isEmpty() ? "" : "\"endTime\": \"2026-11-21T%sZ\",".formatted(until);
    reports.intervals.add(
        merge(
            UsageInterval.newBuilder(),
            """
            {"startTime": "2026-11-21T%sZ", %s "pool": "onprem-rtx6000", "node": "gpu-03",
             "device": %d, "deviceUuid": "GPU-%d", "quantity": "%s", %s}
            """
                .formatted(from, end, device, device, quantity, rest)));
  }
}
