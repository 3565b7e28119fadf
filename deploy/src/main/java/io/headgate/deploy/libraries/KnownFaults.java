package io.headgate.deploy.libraries;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/// Looks for libraries with known faults: a bill of materials against a list of advisories in OSV's
/// form (osv.dev publishes one for Maven as `all.zip`). It needs no network.
public final class KnownFaults {
  private static final String USAGE =
      """
      usage: known-faults ADVISORIES.zip [BILL.json]

      Compares the libraries of the product with advisories in OSV's form, one JSON file each. The
      bill is deploy/target/bom.json of the last build, unless it is named.

      Exit status: 0 no library has a known fault, 1 some have, 2 wrong arguments or files.
      """;

  private static final int NOTHING_FOUND = 0;
  private static final int FOUND = 1;
  private static final int UNUSABLE = 2;

  private static final int LARGEST_ADVISORY = 16 << 20;

  private final List<Library> libraries;

  KnownFaults(List<Library> libraries) {
    this.libraries = List.copyOf(libraries);
  }

  /// A library that an advisory names.
  ///
  /// @param fixed the first version without the fault; empty: the advisory names none
  record Fault(Library library, String advisory, String summary, Optional<String> fixed) {
    @Override
    public String toString() {
      return "%s %s: %s %s; %s"
          .formatted(
              library.name(),
              library.version().text(),
              advisory,
              summary,
              fixed.map(version -> "fixed in " + version).orElse("no version is named as fixed"));
    }
  }

  public static void main(String[] arguments) {
    System.exit(run(List.of(arguments), System.out, System.err));
  }

  static int run(List<String> arguments, PrintStream out, PrintStream err) {
    if (arguments.isEmpty() || arguments.size() > 2 || arguments.getFirst().startsWith("-")) {
      err.print(USAGE);
      return UNUSABLE;
    }
    try {
      Path bill = Path.of(arguments.size() == 2 ? arguments.get(1) : "deploy/target/bom.json");
      List<Library> libraries = Library.read(bill);
      Report report = new KnownFaults(libraries).compare(Path.of(arguments.getFirst()));
      report.faults().forEach(out::println);
      out.printf(
          "%d libraries, %d advisories, %d known faults%n",
          libraries.size(), report.advisories(), report.faults().size());
      return report.faults().isEmpty() ? NOTHING_FOUND : FOUND;
    } catch (NoSuchFileException e) {
      err.println("known-faults: there is no file " + e.getMessage());
      return UNUSABLE;
    } catch (IOException e) {
      err.println("known-faults: " + e.getMessage());
      return UNUSABLE;
    }
  }

  /// @param advisories number of advisories that were read
  record Report(int advisories, List<Fault> faults) {}

  /// @throws IOException also when the file holds no advisory: nothing would be compared
  Report compare(Path advisories) throws IOException {
    List<Fault> faults = new ArrayList<>();
    int read = 0;
    try (ZipFile zip = new ZipFile(advisories.toFile())) {
      for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
        ZipEntry entry = all.nextElement();
        if (entry.getName().endsWith(".json")) {
          read++;
          judge(zip, entry, faults);
        }
      }
    }
    if (read == 0) {
      throw new IOException(advisories + " holds no advisory (*.json)");
    }
    return new Report(read, faults);
  }

  private void judge(ZipFile zip, ZipEntry entry, List<Fault> faults) throws IOException {
    byte[] bytes = zip.getInputStream(entry).readNBytes(LARGEST_ADVISORY);
    String text = new String(bytes, StandardCharsets.UTF_8);
    List<Library> named =
        libraries.stream().filter(library -> text.contains("\"" + library.name() + "\"")).toList();
    if (named.isEmpty()) {
      return; // Most advisories. Parsing is slow.
    }
    JsonTree advisory;
    try {
      advisory = JsonTree.of(text);
    } catch (IllegalArgumentException e) {
      throw new IOException("advisory " + entry.getName() + ": " + e.getMessage(), e);
    }
    if (advisory.get("withdrawn").isPresent()) {
      return;
    }
    for (Library library : named) {
      advisory.get("affected").items().stream()
          .filter(affected -> isAbout(library, affected) && isAffected(library, affected))
          .findFirst()
          .ifPresent(affected ->
              faults.add(
                  new Fault(
                      library,
                      advisory.get("id").text(),
                      advisory.get("summary").text(),
                      fixed(library, affected))));
    }
  }

  private static boolean isAbout(Library library, JsonTree affected) {
    JsonTree subject = affected.get("package");
    return subject.get("ecosystem").text().equals("Maven")
        && subject.get("name").text().equals(library.name());
  }

  private static boolean isAffected(Library library, JsonTree affected) {
    return affected.get("versions").items().stream()
            .anyMatch(version -> version.text().equals(library.version().text()))
        || affected.get("ranges").items().stream().anyMatch(range -> isWithin(library, range));
  }

  /// The latest event up to the library's version decides: an introduction begins a range, a fix
  /// ends it. See "Evaluation" of the OSV schema, which sorts the events.
  private static boolean isWithin(Library library, JsonTree range) {
    if (range.get("type").text().equals("GIT")) {
      return false; // Its events are commits.
    }
    List<JsonTree> events = new ArrayList<>(range.get("events").items());
    events.sort(Comparator.comparing(KnownFaults::version));
    boolean within = false;
    for (JsonTree event : events) {
      int order = library.version().compareTo(version(event));
      if (event.get("introduced").isPresent()) {
        within |= order >= 0;
      } else if (event.get("fixed").isPresent()) {
        within &= order < 0;
      } else if (event.get("last_affected").isPresent()) {
        within &= order <= 0;
      }
    }
    return within;
  }

  private static LibraryVersion version(JsonTree event) {
    return Stream.of("introduced", "fixed", "last_affected")
        .map(event::get)
        .filter(JsonTree::isPresent)
        .findFirst()
        .map(text -> new LibraryVersion(text.text()))
        .orElse(new LibraryVersion("0"));
  }

  private static boolean isAtLeast(Library library, String version) {
    return library.version().compareTo(new LibraryVersion(version)) >= 0;
  }

  private static Optional<String> fixed(Library library, JsonTree affected) {
    return affected.get("ranges").items().stream()
        .flatMap(range -> range.get("events").items().stream())
        .map(event -> event.get("fixed").text())
        .filter(version -> !version.isEmpty() && !isAtLeast(library, version))
        .min((a, b) -> new LibraryVersion(a).compareTo(new LibraryVersion(b)));
  }
}
