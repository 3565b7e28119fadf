package io.headgate.scheduler.client;

import io.headgate.scheduler.runtime.catalog.DraftReader.UnreadableDraftException;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads a part of a catalog, and knows what to do about one that cannot be read.
interface PartReader {
  /// For a configuration in force: an unreadable part is logged and left out, as if it were not
  /// provisioned. The tenant's other parts stay in use.
  PartReader LENIENT = new Lenient();

  /// For a draft: an unreadable part is refused, with its path.
  PartReader STRICT = new Strict();

  /// Reads one.
  ///
  /// @param list the field that the part is in
  /// @param name resource name of the part
  /// @param read throws [IllegalArgumentException]
  <T> Optional<T> read(String list, String name, Supplier<T> read);

  /// See [#LENIENT].
  final class Lenient implements PartReader {
    private static final Logger LOG = LoggerFactory.getLogger(PartReader.class);

    private Lenient() {}

    @Override
    public <T> Optional<T> read(String list, String name, Supplier<T> read) {
      try {
        return Optional.of(read.get());
      } catch (IllegalArgumentException e) {
        LOG.error("{} cannot be used and is left out: {}", name, e.getMessage());
        return Optional.empty();
      }
    }
  }

  /// See [#STRICT].
  final class Strict implements PartReader {
    private Strict() {}

    @Override
    public <T> Optional<T> read(String list, String name, Supplier<T> read) {
      try {
        return Optional.of(read.get());
      } catch (IllegalArgumentException e) {
        throw new UnreadableDraftException(
            "%s[%s]".formatted(list, SupplyMapper.id(name)), String.valueOf(e.getMessage()));
      }
    }
  }
}
