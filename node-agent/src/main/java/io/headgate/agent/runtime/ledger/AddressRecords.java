package io.headgate.agent.runtime.ledger;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.WorkerAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/// The records of where the workers of gangs are reached, one file in the directory of each
/// attempt.
public final class AddressRecords {
  private static final String ADDRESS = "address";

  private final RecordFiles files;
  private final Function<AttemptKey, Path> directories;

  AddressRecords(RecordFiles files, Function<AttemptKey, Path> directories) {
    this.files = files;
    this.directories = directories;
  }

  /// The worker of a gang is prepared; its port stays the same whatever becomes of this agent.
  public void record(AttemptKey key, WorkerAddress address) throws IOException {
    files.write(directories.apply(key).resolve(ADDRESS), Records.put(new Fields(), address));
    Failpoint.AFTER_ADDRESS_RECORD.reach();
  }

  /// Where the other workers of its gang reach it; empty: it was never prepared.
  public Optional<WorkerAddress> of(AttemptKey key) throws IOException {
    return RecordFiles.read(directories.apply(key).resolve(ADDRESS)).flatMap(Records::address);
  }
}
