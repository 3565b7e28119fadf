package io.headgate.deploy.e2e;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Faults of all kinds, with test wires between the processes.
@Tag("faults")
class FaultSequenceIT {
  private static final Logger LOG = LoggerFactory.getLogger(FaultSequenceIT.class);

  @TempDir private Path directory;
  private FaultSequence sequence;

  @BeforeEach
  void start() throws Exception {
    long seed = Long.getLong("headgate.seed", System.nanoTime());
    LOG.info("-Dheadgate.seed={} plays this again", seed);
    sequence = FaultSequence.start(directory, seed, new Wires());
  }

  @AfterEach
  void stop() throws Exception {
    if (sequence != null) {
      sequence.end();
    }
  }

  @Test
  void survivesALongSequenceOfFaults() throws Exception {
    sequence.survives();
  }

  @Test
  void runsWhatWasOnAPausedAgentElsewhereAndNeverTwice() throws Exception {
    sequence.runsElsewhereWhatAnAgentCannotReport(node -> {
      List<ProcessHandle> agent = List.of(sequence.agents().process(node));
      Schedulers.signal("STOP", agent);
      return () -> Schedulers.signal("CONT", agent);
    });
  }
}
