package io.headgate.agent.runtime.ledger;

import io.headgate.agent.process.DurableFile;
import io.headgate.agent.process.NameHash;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The names under which an agent keeps what lies outside its data directory: cgroups, devices and
/// image copies for container engines, MPS daemons. A restarted agent finds its own things by their
/// names, and leaves those of other agents of the machine alone.
///
/// The names follow from the agent's name and its data directory. How they follow is recorded once,
/// in the file `names` of the data directory, and never changes afterwards. A data directory that
/// an agent used before this record existed keeps the names of that time. So an upgraded agent
/// finds its running attempts, and no such name can be equal to one of the present form.
///
/// @param data absolute
/// @param form how names follow
public record AgentNames(Path data, Form form) {
  private static final Logger LOG = LoggerFactory.getLogger(AgentNames.class);
  private static final String FILE = "names";
  private static final String FORM = "form";

  /// With 65 bits. A longer hash would not fit in two places: the name of a device's file holds
  /// three ids and a uid beside it, and the path of an MPS socket has at most 107 bytes.
  private static final int SHORT = 11;

  /// With 131 bits.
  private static final int LONG = 22;

  /// How names follow from the agent's name and its data directory.
  public enum Form {
    /// By hashes of 32 bits, of agents that were first started before the record existed.
    HASH_32,
    SHA_256
  }

  /// Reads the form of the names of this data directory's agent. At the agent's first start it is
  /// chosen and recorded. The first start must call this before it makes the directory of attempts,
  /// which is the mark of a directory that was used before. Needs no lock of the directory.
  ///
  /// @param data absolute
  /// @throws UncheckedIOException when the record cannot be read, or that of an unused directory
  ///   cannot be written
  public static AgentNames load(Path data) {
    try {
      return new AgentNames(data, form(data));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Form form(Path data) throws IOException {
    // Looked at before the record: of two agents that start here at once, one may have written the
    // record and begun to use the directory between the two looks.
    boolean isUsed = Files.exists(data.resolve(AttemptLedger.ATTEMPTS));
    Path file = data.resolve(FILE);
    Optional<Fields> recorded = RecordFiles.read(file);
    if (recorded.isPresent()) {
      return RecordFiles.decode(file, () -> recorded.get().constant(FORM, Form.class));
    }
    Form form = isUsed ? Form.HASH_32 : Form.SHA_256;
    try {
      DurableFile.makeDirectory(data);
      Fields fields = new Fields().put(FORM, form);
      DurableFile.replaceUnlocked(file, fields.toLines().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      if (!isUsed) {
        throw e;
      }
      // The disk may be full of the output of jobs. The directory itself still shows the form.
      LOG.warn(
          "{} cannot be written, the next start tries again; names keep their form: {}",
          file,
          e.getMessage());
    }
    return form;
  }

  /// The last part of the names of the agent's cgroups.
  ///
  /// @param agent its name, which other agents of the machine may have too
  public String cgroups(String agent) {
    return agent
        + "-"
        + switch (form) {
          case HASH_32 -> Integer.toHexString(data.hashCode());
          case SHA_256 -> NameHash.alphanumeric(data.toString(), LONG);
        };
  }

  /// The first part of the names of devices and image copies.
  ///
  /// @param owner the name of the agent's cgroups, or the label of its pods
  public String devices(String owner) {
    return switch (form) {
      case HASH_32 -> Integer.toHexString(owner.hashCode());
      case SHA_256 -> NameHash.alphanumeric(owner, SHORT);
    };
  }

  /// The agent's own part of the directory of MPS daemons.
  public String mps() {
    return switch (form) {
      case HASH_32 -> Integer.toHexString(data.toString().hashCode());
      case SHA_256 -> NameHash.alphanumeric(data.toString(), SHORT);
    };
  }
}
