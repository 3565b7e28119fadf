package io.headgate.agent.core;

import io.headgate.agent.core.DeviceCondition.Remedy;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Judges a device by its signs. Pure: one table, and nothing remembered.
///
/// For NVIDIA's errors (XIDs) it follows the resolution buckets of NVIDIA's Xid catalog for Ampere
/// and newer (docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html, read 2026-11-22), the
/// GPU Memory Error Management guide for rows, and NVML's documentation of recovery actions. An
/// error that the catalog answers with RESTART_APP or IGNORE is no sign against the device: the
/// fault is the job's, or none. Numbers outside the table therefore change nothing (13 a fault of
/// the program, 31 its access to invalid memory, 43 and 45 its end, …). Contained errors (94) end
/// only the program that met them; NVIDIA advises a reset when it is convenient.
public final class HealthRules {
  /// The longest reported cause, in characters.
  private static final int MAX_CAUSE = 500;

  /// After this many refused slices in a row, the device gets no more.
  private static final int REFUSALS_TOO_MANY = 3;

  private static final Comparator<DeviceCondition> WORST_FIRST =
      Comparator.comparing(DeviceCondition::health)
          .thenComparing(DeviceCondition::endsJobs)
          .thenComparing(DeviceCondition::remedy)
          .reversed();

  private static final Map<Integer, DeviceCondition> XIDS = new TreeMap<>();

  static {
    // RESTART_BM, and 95: "the affected GPU must be reset before applications can restart".
    failed(79, "it has fallen off the bus", Remedy.RESTART_MACHINE);
    failed(95, "an uncontained error of its memory", Remedy.RESET);
    // RESET_GPU, and the workflows that end in a reset. Jobs that cannot continue end themselves.
    unhealthy(46, "it stopped processing");
    unhealthy(48, "an uncorrectable error of its memory");
    unhealthy(62, "its microcontroller has halted");
    unhealthy(64, "a bad row or page of its memory could not be recorded");
    unhealthy(74, "an error of its NVLink");
    unhealthy(110, "a security fault");
    unhealthy(119, "its system processor does not answer");
    unhealthy(120, "its system processor failed");
    unhealthy(136, "its links cannot be trained");
    unhealthy(140, "an error of its memory from which it did not recover");
    unhealthy(143, "it could not be initialised");
    unhealthy(158, "a fatal time-out");
    XIDS.put(
        54,
        DeviceCondition.unhealthy("its auxiliary power is not connected (XID 54)", Remedy.INSPECT));
    // An operator should look at these. Where the driver wants a reset, its recovery action says
    // so.
    degraded(63, "a row or page of its memory awaits replacement", Remedy.RESET);
    degraded(92, "many errors of its memory, all corrected", Remedy.INSPECT);
    degraded(94, "an error of its memory, contained to one job", Remedy.RESET);
    degraded(109, "a job did not release it in time", Remedy.RESET);
    degraded(156, "a part of its memory awaits retirement", Remedy.RESET);
    degraded(157, "a part of its memory could not be retired", Remedy.REPLACE);
    for (int nvlink5 = 144; nvlink5 <= 150; nvlink5++) {
      degraded(nvlink5, "an error of its NVLink", Remedy.INSPECT);
    }
  }

  private HealthRules() {}

  private static void failed(int xid, String cause, Remedy remedy) {
    XIDS.put(xid, DeviceCondition.failed(named(cause, xid), remedy));
  }

  private static void unhealthy(int xid, String cause) {
    XIDS.put(xid, DeviceCondition.unhealthy(named(cause, xid), Remedy.RESET));
  }

  private static void degraded(int xid, String cause, Remedy remedy) {
    XIDS.put(xid, DeviceCondition.degraded(named(cause, xid), remedy));
  }

  private static String named(String cause, int xid) {
    return cause + " (XID " + xid + ")";
  }

  /// Whether the error says anything about the device: else it is the job's own, or none.
  public static boolean isOfTheDevice(DeviceSign.Xid xid) {
    return XIDS.containsKey(xid.number());
  }

  /// How a device of which all this was seen is.
  public static DeviceCondition judge(Collection<? extends DeviceSign> signs) {
    List<DeviceCondition> all =
        signs.stream().flatMap(sign -> of(sign).stream()).distinct().sorted(WORST_FIRST).toList();
    if (all.isEmpty()) {
      return DeviceCondition.HEALTHY;
    }
    DeviceCondition worst = all.getFirst();
    String causes = all.stream().map(DeviceCondition::cause).collect(Collectors.joining("; "));
    Remedy most =
        all.stream()
            .filter(condition -> condition.health() == worst.health())
            .map(DeviceCondition::remedy)
            .max(Comparator.naturalOrder())
            .orElseThrow();
    return new DeviceCondition(worst.health(), worst.endsJobs(), cut(causes), most);
  }

  /// The condition that one sign alone implies; empty: none.
  private static Optional<DeviceCondition> of(DeviceSign sign) {
    return switch (sign) {
      case DeviceSign.Xid xid -> Optional.ofNullable(XIDS.get(xid.number()));
      case DeviceSign.Gone(String how) ->
          Optional.of(DeviceCondition.failed(how, Remedy.RESTART_MACHINE));
      // It may be busy with itself, and come back: what runs there is not ended for that.
      case DeviceSign.Silent(String how) ->
          Optional.of(DeviceCondition.unhealthy(how, Remedy.RESET));
      case DeviceSign.RecoveryDue(DeviceSign.Recovery recovery) -> Optional.of(of(recovery));
      case DeviceSign.RowsPending _ ->
          Optional.of(
              DeviceCondition.degraded(
                  "rows of its memory are replaced at the next reset", Remedy.RESET));
      case DeviceSign.RowsExhausted _ ->
          Optional.of(
              DeviceCondition.unhealthy(
                  "a bad row of its memory could not be replaced", Remedy.REPLACE));
      case DeviceSign.PagesPending _ ->
          Optional.of(
              DeviceCondition.degraded(
                  "pages of its memory are taken out of use at the next reset", Remedy.RESET));
      case DeviceSign.PagesStuck(int pages) ->
          Optional.of(
              DeviceCondition.unhealthy(
                  "bad pages of its memory that could not be taken out of use: " + pages,
                  Remedy.REPLACE));
      case DeviceSign.Uncorrected(long errors) ->
          Optional.of(
              DeviceCondition.degraded(
                  "errors of its memory that could not be corrected: " + errors, Remedy.RESET));
      case DeviceSign.Throttled(String why) ->
          Optional.of(DeviceCondition.degraded("it is slowed down: " + why, Remedy.INSPECT));
      case DeviceSign.Undivided(String why) ->
          Optional.of(
              DeviceCondition.degraded(
                  "MIG could not be turned on, and is tried again when the agent starts: " + why,
                  Remedy.INSPECT));
      case DeviceSign.SliceStuck(String problem) ->
          Optional.of(
              DeviceCondition.degraded("a slice cannot be removed: " + problem, Remedy.INSPECT));
      case DeviceSign.SliceUnguarded(String slice, boolean memory) ->
          Optional.of(
              DeviceCondition.degraded(
                  "MPS no longer limits the slice %s; until its job ends, %s"
                      .formatted(
                          slice,
                          memory
                              ? "only the watch limits its memory"
                              : "nothing limits its processors"),
                  Remedy.INSPECT));
      case DeviceSign.SlicesRefused(int times, String problem) ->
          Optional.of(refused(times, problem));
    };
  }

  private static DeviceCondition of(DeviceSign.Recovery recovery) {
    return switch (recovery) {
      case RESET -> DeviceCondition.failed("its driver demands a reset", Remedy.RESET);
      case RESTART ->
          DeviceCondition.failed(
              "its driver demands a restart of the machine", Remedy.RESTART_MACHINE);
      case DRAIN_AND_RESET ->
          DeviceCondition.unhealthy(
              "its driver says that only a part of it works until a reset", Remedy.RESET);
      case DRAIN_LINKS ->
          DeviceCondition.unhealthy(
              "its driver demands an end of the traffic with other GPUs", Remedy.INSPECT);
    };
  }

  /// One refusal may be an accident, or a foreign slice in the way.
  private static DeviceCondition refused(int times, String problem) {
    String cause =
        "a slice could not be made on it, %d times in a row: %s".formatted(times, problem);
    return times < REFUSALS_TOO_MANY
        ? DeviceCondition.degraded(cause, Remedy.INSPECT)
        : DeviceCondition.unhealthy(cause, Remedy.INSPECT);
  }

  private static String cut(String text) {
    return text.length() <= MAX_CAUSE ? text : text.substring(0, MAX_CAUSE - 1) + "…";
  }
}
