package io.headgate.agent.qualify;

import io.headgate.agent.core.DeviceInfo;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// Compares the agent's readings of the driver with those of NVIDIA's own program.
///
/// @param program `nvidia-smi`, or its path
record BindingsAgree(String program) implements Experiment {
  private static final String FIELDS =
      "uuid,memory.total,memory.reserved,driver_version,mig.mode.current";
  private static final long ROUNDED_MIB = 2;
  private static final int MIB_BITS = 20;
  private static final int PATIENCE_SECONDS = 30;

  @Override
  public String name() {
    return "bindings against nvidia-smi";
  }

  @Override
  public String claim() {
    return "The agent sees the GPUs that nvidia-smi sees, with their memory, driver and MIG mode.";
  }

  @Override
  public String needs() {
    return "nvidia-smi";
  }

  @Override
  public boolean usesProbe() {
    return false;
  }

  @Override
  public Finding run(Bench bench) throws IOException, InterruptedException {
    List<String> lines;
    try {
      lines = ask();
    } catch (IOException e) {
      return Finding.notShown("%s does not run: %s".formatted(program, e.getMessage()));
    }
    Set<String> theirs = new HashSet<>();
    List<String> differences = new ArrayList<>();
    for (String line : lines) {
      List<String> words = List.of(line.split(", *", -1));
      if (words.size() != FIELDS.split(",", -1).length) {
        return Finding.notShown("%s says %s".formatted(program, line));
      }
      theirs.add(words.getFirst());
      bench.driver().devices().stream()
          .filter(device -> device.uuid().equals(words.getFirst()))
          .findFirst()
          .ifPresentOrElse(
              device -> compare(device, bench.driver().description(), words, differences),
              () -> differences.add("the agent does not see " + words.getFirst()));
    }
    bench.driver().devices().stream()
        .map(DeviceInfo::uuid)
        .filter(uuid -> !theirs.contains(uuid))
        .forEach(uuid -> differences.add("nvidia-smi does not see " + uuid));
    Finding found =
        differences.isEmpty()
            ? Finding.passed("they agree")
            : Finding.failed(String.join("; ", differences));
    return found.with("GPUs", lines.size());
  }

  private static void compare(
      DeviceInfo device, String driver, List<String> words, List<String> differences) {
    String uuid = device.uuid();
    long mib = number(words.get(1)) - number(words.get(2));
    long ours = device.memoryBytes() >> MIB_BITS;
    if (Math.abs(mib - ours) > ROUNDED_MIB) {
      differences.add("%s has %d MiB, not %d".formatted(uuid, mib, ours));
    }
    if (!driver.equals("nvml " + words.get(3))) {
      differences.add("the driver is %s, not %s".formatted(words.get(3), driver));
    }
    boolean divided = words.get(4).equals("Enabled");
    if (divided != (device.geometry() == DeviceInfo.Geometry.MIG)) {
      differences.add("MIG of %s is %s".formatted(uuid, words.get(4)));
    }
  }

  /// 0 for a number that the GPU does not tell.
  private static long number(String word) {
    return word.matches("[0-9]{1,12}") ? Long.parseLong(word) : 0;
  }

  private List<String> ask() throws IOException, InterruptedException {
    Process asked =
        new ProcessBuilder(program, "--query-gpu=" + FIELDS, "--format=csv,noheader,nounits")
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .start();
    // The answer fits into a pipe, so the program can end before it is read.
    if (!asked.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      asked.destroyForcibly();
      throw new IOException("it does not end");
    }
    String text = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (asked.exitValue() != 0) {
      throw new IOException("it ended with " + asked.exitValue() + ": " + text.strip());
    }
    return text.lines().filter(line -> !line.isBlank()).toList();
  }
}
