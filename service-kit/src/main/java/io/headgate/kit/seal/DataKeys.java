package io.headgate.kit.seal;

import java.util.Optional;

/// The data keys of one schema. Thread-safe.
public interface DataKeys {
  /// The key for the next value to seal. It changes long before it has sealed 2^32 values.
  DataKey forSealing();

  /// The key with this id; empty if the database has none.
  ///
  /// @throws KeyMissingException if no key in the file decrypts it
  Optional<DataKey> find(long id);
}
