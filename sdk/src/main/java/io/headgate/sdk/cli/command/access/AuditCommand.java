package io.headgate.sdk.cli.command.access;

import io.headgate.proto.type.v1.AuditAnchor;
import io.headgate.proto.type.v1.AuditFault;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.wire.AuditCalls.Log;
import io.headgate.sdk.wire.AuditCalls.Outcome;
import io.headgate.sdk.wire.ResourceNames;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `headgate audit`.
@Command(
    header = {
      "headgate audit --verify                           the logs of your tenant",
      "headgate audit --verify --anchor policy:120:9f2c…  they contain what a service logged",
      "headgate audit --verify --installation            entries without a tenant; for operators",
      ""
    },
    description =
        "Compares each entry of the audit logs with its hash chain, and names the first entry that"
            + " is missing or changed. For admins.")
public final class AuditCommand implements CliCommand {
  private static final Pattern ANCHOR =
      Pattern.compile("(policy|pool):([1-9][0-9]{0,17}):([0-9a-f]{64})");

  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Option(names = "--verify", description = "Check the logs.")
  private boolean verify;

  @Option(names = "--installation", description = "Check the entries that belong to no tenant.")
  private boolean installation;

  @Option(
      names = "--anchor",
      paramLabel = "LOG:SEQ:HASH",
      description =
          "An anchor from the log of policy-service or pool-service, which the chain must contain."
              + " Several may be given. Only with an anchor is a missing end found.")
  private List<String> anchors = List.of();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    if (!verify) {
      throw new UsageException(
          "headgate audit needs an action", "ARGUMENT_MISSING", "headgate audit --verify");
    }
    Map<Log, List<AuditAnchor>> wanted = anchors();
    String parent = installation ? "" : ResourceNames.tenant(invocation.session().tenant());
    boolean sound = true;
    for (Log log : Log.values()) {
      Outcome outcome =
          invocation.session().audit().verify(log, parent, wanted.getOrDefault(log, List.of()));
      invocation.output().line(text(log, outcome));
      sound &= outcome.fault().isEmpty();
    }
    return sound ? ExitCode.DONE : ExitCode.REFUSED;
  }

  private Map<Log, List<AuditAnchor>> anchors() {
    Map<Log, List<AuditAnchor>> read = new EnumMap<>(Log.class);
    for (String text : anchors) {
      Matcher parts = ANCHOR.matcher(text);
      if (!parts.matches()) {
        throw new UsageException(
            "\"" + text + "\" is not an anchor",
            "BAD_ARGUMENT",
            "policy:SEQ:HASH or pool:SEQ:HASH, as after \"audit anchor\" in a service's log");
      }
      read.computeIfAbsent(
              Log.valueOf(parts.group(1).toUpperCase(Locale.ROOT)), _ -> new ArrayList<>())
          .add(
              AuditAnchor.newBuilder()
                  .setSequence(Long.parseLong(parts.group(2)))
                  .setHash(parts.group(3))
                  .build());
    }
    return read;
  }

  private static String text(Log log, Outcome outcome) {
    StringBuilder text = new StringBuilder(log.name().toLowerCase(Locale.ROOT)).append(": ");
    if (outcome.fault().isPresent()) {
      AuditFault fault = outcome.fault().get();
      text.append(fault(fault))
          .append("; the ")
          .append(outcome.checked())
          .append(" entries before agree with the chain");
    } else {
      text.append(outcome.checked()).append(" entries agree with the chain");
      outcome
          .reached()
          .ifPresent(last ->
              text.append(", up to ")
                  .append(last.getSequence())
                  .append(':')
                  .append(last.getHash()));
    }
    if (outcome.unchained() > 0) {
      text.append("; ")
          .append(outcome.unchained())
          .append(" entries are from before the chain, and unproven");
    }
    return text.toString();
  }

  private static String fault(AuditFault fault) {
    return switch (fault.getKind()) {
      case KIND_MISSING ->
          fault.getAuditId() == 0
              ? "entry " + fault.getSequence() + " is missing"
              : "entry "
                  + fault.getSequence()
                  + " (audit_id "
                  + fault.getAuditId()
                  + ") is missing";
      case KIND_CUT_OFF -> "entry " + fault.getSequence() + " and all after it are missing";
      case KIND_CHANGED ->
          "entry "
              + fault.getSequence()
              + " (audit_id "
              + fault.getAuditId()
              + ") was changed or moved";
      case KIND_ADDED -> "an entry was added past the chain (audit_id " + fault.getAuditId() + ")";
      case KIND_UNSPECIFIED, UNRECOGNIZED -> "the server names a fault that this version lacks";
    };
  }
}
