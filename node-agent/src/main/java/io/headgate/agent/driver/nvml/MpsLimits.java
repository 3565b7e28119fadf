package io.headgate.agent.driver.nvml;

import io.headgate.agent.driver.GpuDriverException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Tells a daemon that runs what each process of its slice's job may have. Repeated, it changes
/// nothing.
///
/// @param limitMib of memory; empty: something else limits it, and the protocol is the third
/// @param threads percentage of the processors; empty: all
record MpsLimits(MpsControl control, Optional<String> limitMib, Optional<String> threads) {
  private static final String IN_SERVER = "--server=" + MpsDirectory.SERVER;
  private static final String LIST = "--format=csv,noheader";
  private static final String ALL_THREADS = "100";

  /// The namespace of programs that find a server and name none.
  private static final String DEFAULT_NAMESPACE = "default";

  /// @param isNew whether the daemon was just started, so that its settings are known
  /// @throws GpuDriverException when the daemon does not obey, or seems to and has no limits
  void impose(MpsDirectory place, String gpuUuid, boolean isNew, NvmlSteps passed) {
    switch (place.protocol()) {
      case V2 -> imposeOnDaemon(place, gpuUuid);
      case V3 -> imposeOnNamespace(place, gpuUuid, isNew, passed);
    }
    passed.reached(NvmlSteps.Step.DAEMON_LIMITED);
  }

  private void imposeOnDaemon(MpsDirectory place, String gpuUuid) {
    List<String> commands = new ArrayList<>();
    // The daemon has one GPU, number 0; some versions know limits by number only, some by UUID.
    for (String device : List.of("0", gpuUuid)) {
      commands.add(
          "set_default_device_pinned_mem_limit %s %sM".formatted(device, limitMib.orElseThrow()));
    }
    threads.ifPresent(percent -> commands.add("set_default_active_thread_percentage " + percent));
    // Sent together with the orders, because starting a program takes most of the time. Sent twice,
    // so that the answer can be told from the output of the orders.
    String question = "get_default_device_pinned_mem_limit 0";
    commands.addAll(List.of(question, question));
    String limit = repeatedAtTheEnd(control.tell(place, gpuUuid, commands));
    // Not compared: versions show it rounded, each in its own way. Without a limit there is none.
    if (limit.chars().noneMatch(digit -> digit >= '1' && digit <= '9')) {
      throw new GpuDriverException(
          "the MPS daemon did not accept the memory limit; it shows \"%s\"".formatted(limit));
    }
  }

  static String repeatedAtTheEnd(String text) {
    List<String> lines = text.lines().toList();
    int all = lines.size();
    for (int some = 1; 2 * some <= all; some++) {
      List<String> last = lines.subList(all - some, all);
      if (last.equals(lines.subList(all - 2 * some, all - some))) {
        return String.join("\n", last);
      }
    }
    return "";
  }

  private void imposeOnNamespace(
      MpsDirectory place, String gpuUuid, boolean isNew, NvmlSteps passed) {
    if (isNew || !hasServer(control, place, gpuUuid)) {
      control.order(
          place,
          gpuUuid,
          List.of("server", "create", MpsDirectory.SERVER, "--allowed-devices=" + gpuUuid));
    }
    passed.reached(NvmlSteps.Step.SERVER_MADE);
    if (isNew || !hasNamespace(control, place, gpuUuid)) {
      control.order(
          place, gpuUuid, List.of("namespace", "create", MpsDirectory.NAMESPACE, IN_SERVER));
    }
    passed.reached(NvmlSteps.Step.NAMESPACE_MADE);
    // None inherits the limits of another, or of the server.
    for (String namespace : List.of(DEFAULT_NAMESPACE, MpsDirectory.NAMESPACE)) {
      List<String> order = new ArrayList<>(List.of("namespace", "set", namespace, IN_SERVER));
      limitMib.ifPresent(mib -> order.add("--pinned-memory-limit=" + mib + "M"));
      order.add("--active-thread-percentage=" + threads.orElse(ALL_THREADS));
      control.order(place, gpuUuid, order);
    }
    // A server that fails at its start vanishes without a word, and programs that find none run
    // without any limit.
    if (!haveNamespace(control, place, gpuUuid)) {
      throw new GpuDriverException(
          "the MPS daemon has lost its server or its namespace in " + place.sockets());
    }
  }

  /// Whether the daemon still has what holds its slice's programs.
  ///
  /// @throws GpuDriverException when it does not say
  static boolean haveNamespace(MpsControl control, MpsDirectory place, String gpuUuid) {
    return hasServer(control, place, gpuUuid)
        && hasNamespace(control, place, gpuUuid)
        && Files.exists(place.sockets().resolve("control"));
  }

  private static boolean hasServer(MpsControl control, MpsDirectory place, String gpuUuid) {
    return names(control.order(place, gpuUuid, List.of("server", "list", LIST)))
        .contains(MpsDirectory.SERVER);
  }

  private static boolean hasNamespace(MpsControl control, MpsDirectory place, String gpuUuid) {
    return names(control.order(place, gpuUuid, List.of("namespace", "list", IN_SERVER, LIST)))
        .contains(MpsDirectory.NAMESPACE);
  }

  /// All words of a table, in whichever column they are.
  private static Set<String> names(String table) {
    return new TreeSet<>(Arrays.asList(table.split("[,\\s]+", -1)));
  }
}
