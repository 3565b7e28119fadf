package io.headgate.agent.driver;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/// A library of a GPU's maker, loaded into this process.
public final class VendorLibrary {
  private final String name;
  private final NativeLibrary loaded;

  private VendorLibrary(String name, NativeLibrary loaded) {
    this.name = name;
    this.loaded = loaded;
  }

  /// Loads it.
  ///
  /// @param library name, as the system's linker finds it, or path
  /// @param driver whose it is, for people: `NVIDIA driver`
  /// @throws GpuUnavailableException when it is not there or cannot be loaded
  public static VendorLibrary load(String library, String driver) {
    try {
      return new VendorLibrary(library, NativeLibrary.getInstance(library));
    } catch (LinkageError e) {
      // Also when JNA's own library cannot be unpacked: perhaps nothing in /tmp may be executed.
      String problem = String.valueOf(e.getMessage());
      // The linker's message is the second line. If a library is missing that this one needs, it
      // names that library.
      String said = problem.lines().skip(1).findFirst().orElse(problem).strip();
      if (said.startsWith(library + ":") && said.contains("No such file")) {
        throw new GpuUnavailableException(
            "no %s: the library %s is not installed".formatted(driver, library), true);
      }
      throw new GpuUnavailableException(library + " cannot be loaded: " + said, false);
    }
  }

  /// Its functions.
  ///
  /// @param optional those that it may lack
  /// @throws GpuUnavailableException when it lacks another
  public <T extends Library> T bind(Class<T> functions, Set<String> optional) {
    List<String> missing =
        Arrays.stream(functions.getDeclaredMethods())
            .map(Method::getName)
            .filter(function -> !optional.contains(function) && !has(function))
            .sorted()
            .toList();
    if (!missing.isEmpty()) {
      throw new GpuUnavailableException(
          "the driver of %s is too old: it lacks the function %s"
              .formatted(name, missing.getFirst()),
          false);
    }
    return Native.load(name, functions);
  }

  /// Its name or path.
  @Override
  public String toString() {
    return name;
  }

  /// Whether it has the function.
  public boolean has(String function) {
    try {
      loaded.getFunction(function);
      return true;
    } catch (UnsatisfiedLinkError _) {
      return false;
    }
  }
}
