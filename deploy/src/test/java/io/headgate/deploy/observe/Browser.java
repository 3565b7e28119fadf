package io.headgate.deploy.observe;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Chromium without a screen.
///
/// @param program its path
public record Browser(Path program) {
  /// Debian's, or the one that the property `headgate.chromium` names.
  public static Optional<Browser> find() {
    return Daemon.find("chromium", "headgate.chromium").map(Browser::new);
  }

  /// Writes a picture of a page below `out`, named after the page.
  ///
  /// @return the picture
  public Path picture(URI page, int width, int height, Path out) {
    String name = page.getPath().replaceAll(".*/", "").replaceAll("\\.html$|[^\\w.-]", "");
    Path picture = out.resolve((name.isEmpty() ? "page" : name) + ".png");
    run(
        List.of(
            "--screenshot=" + picture.toAbsolutePath(), "--window-size=" + width + "," + height),
        page);
    return picture;
  }

  /// The page as its programs have made it. Long lists are made as far as they are in view.
  public String content(URI page, int width, int height) {
    return run(List.of("--dump-dom", "--window-size=" + width + "," + height), page);
  }

  private String run(List<String> options, URI page) {
    try {
      Path profile = Files.createTempDirectory("headgate-browser");
      List<String> command =
          new ArrayList<>(
              List.of(
                  program.toString(),
                  "--headless",
                  "--no-sandbox",
                  "--disable-gpu",
                  "--hide-scrollbars",
                  "--user-data-dir=" + profile,
                  "--virtual-time-budget=15000"));
      command.addAll(options);
      command.add(page.toString());
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException(command + " ended with " + process.exitValue());
      }
      return out;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
