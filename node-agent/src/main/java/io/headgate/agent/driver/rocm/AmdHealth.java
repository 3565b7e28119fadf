package io.headgate.agent.driver.rocm;

import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.driver.DeviceReading;
import io.headgate.agent.driver.DeviceReading.Figures;
import io.headgate.agent.driver.GpuDriverException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the health of an AMD GPU from the kernel's files: its counts of errors and bad pages
/// (docs.kernel.org/gpu/amdgpu/ras.html), its use and its sensors. A reading that the GPU does not
/// show is absent.
record AmdHealth(Kfd kfd) {
  private static final Pattern COUNT = Pattern.compile("(?m)^(ue|ce): *([0-9]+)");

  DeviceReading read(AmdGpu gpu) {
    Path directory = kfd.directory(gpu.address());
    if (!Files.isDirectory(directory)) {
      return DeviceReading.of(new DeviceSign.Gone("it is not on its bus any more"));
    }
    try {
      return answered(gpu, directory);
    } catch (GpuDriverException e) {
      return DeviceReading.of(new DeviceSign.Silent("it cannot be read: " + e.getMessage()));
    }
  }

  private DeviceReading answered(AmdGpu gpu, Path directory) {
    List<DeviceSign> signs = new ArrayList<>();
    Errors errors = errors(directory.resolve("ras"));
    if (errors.uncorrected() > 0) {
      signs.add(new DeviceSign.Uncorrected(errors.uncorrected()));
    }
    badPages(directory.resolve("ras/gpu_vram_bad_pages"), signs);
    Optional<Path> sensors = children(directory.resolve("hwmon"), "hwmon*").stream().findFirst();
    return new DeviceReading(
        signs,
        new Figures(
            scaled(number(directory.resolve("gpu_busy_percent")), 100),
            number(directory.resolve("mem_info_vram_used")),
            OptionalLong.of(gpu.memoryBytes()),
            scaled(sensor(sensors, "temp1_input"), 1000),
            scaled(power(sensors), 1_000_000),
            OptionalDouble.empty(),
            errors.known() ? OptionalLong.of(errors.corrected()) : OptionalLong.empty(),
            errors.known() ? OptionalLong.of(errors.uncorrected()) : OptionalLong.empty()));
  }

  /// The errors of all blocks of the GPU together, since its driver started.
  private record Errors(boolean known, long corrected, long uncorrected) {}

  private static Errors errors(Path ras) {
    long corrected = 0;
    long uncorrected = 0;
    List<Path> counts = children(ras, "*_err_count");
    for (Path count : counts) {
      Matcher line = COUNT.matcher(read(count).orElse(""));
      while (line.find()) {
        long errors = Long.parseLong(line.group(2));
        corrected += line.group(1).equals("ce") ? errors : 0;
        uncorrected += line.group(1).equals("ue") ? errors : 0;
      }
    }
    return new Errors(!counts.isEmpty(), corrected, uncorrected);
  }

  /// Each line is a page, its size, and R: out of use, P: will be, F: cannot be.
  private static void badPages(Path file, List<DeviceSign> signs) {
    List<String> pages = read(file).orElse("").lines().map(String::strip).toList();
    int stuck = (int) pages.stream().filter(page -> page.endsWith(": F")).count();
    if (stuck > 0) {
      signs.add(new DeviceSign.PagesStuck(stuck));
    }
    if (pages.stream().anyMatch(page -> page.endsWith(": P"))) {
      signs.add(new DeviceSign.PagesPending());
    }
  }

  private static OptionalLong power(Optional<Path> sensors) {
    OptionalLong average = sensor(sensors, "power1_average");
    return average.isPresent() ? average : sensor(sensors, "power1_input");
  }

  private static OptionalLong sensor(Optional<Path> sensors, String name) {
    return sensors.map(directory -> number(directory.resolve(name))).orElse(OptionalLong.empty());
  }

  private static OptionalDouble scaled(OptionalLong number, double by) {
    return number.isPresent() ? OptionalDouble.of(number.getAsLong() / by) : OptionalDouble.empty();
  }

  private static OptionalLong number(Path file) {
    Optional<String> text = read(file).filter(digits -> digits.matches("[0-9]{1,18}"));
    return text.isPresent() ? OptionalLong.of(Long.parseLong(text.get())) : OptionalLong.empty();
  }

  private static Optional<String> read(Path file) {
    try {
      return Optional.of(Files.readString(file).strip());
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw new GpuDriverException("%s: %s".formatted(file.getFileName(), e.getMessage()));
    }
  }

  private static List<Path> children(Path directory, String glob) {
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, glob)) {
      List<Path> children = new ArrayList<>();
      stream.forEach(children::add);
      children.sort(null);
      return children;
    } catch (NoSuchFileException _) {
      return List.of();
    } catch (IOException | DirectoryIteratorException e) {
      throw new GpuDriverException("%s: %s".formatted(directory.getFileName(), e.getMessage()));
    }
  }
}
