package io.headgate.sdk.cli.command.configuration;

import io.headgate.sdk.cli.output.CellWidth;
import io.headgate.sdk.cli.output.EffectsText;
import io.headgate.sdk.cli.output.Output;
import io.headgate.sdk.cli.output.PrintableText;
import io.headgate.sdk.cli.output.Style;
import io.headgate.sdk.config.ConfigurationDiff;
import io.headgate.sdk.config.ConfigurationDiff.Change;
import io.headgate.sdk.config.ConfigurationDiff.Change.Action;
import io.headgate.sdk.config.ConfigurationDiff.FieldChange;
import io.headgate.sdk.config.ConfigurationDiff.ObjectKind;
import io.headgate.sdk.config.FieldText;
import io.headgate.sdk.model.PlanEffects;
import io.headgate.sdk.model.Warning;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A plan as text. Words and signs mark added, changed and removed objects; colour is optional.
record PlanText(Output output) {
  private static final int KIND_WIDTH = 8;
  private static final int NAME_WIDTH = 28;
  private static final int FIELD_WIDTH = 19;

  List<String> changes(ConfigurationDiff diff) {
    List<String> lines = new ArrayList<>();
    lines.add(output.bold("Configuration"));
    for (Change change : diff.changes()) {
      object(change, "  ", lines);
      for (Change part : change.parts()) {
        object(part, "      ", lines);
      }
    }
    if (diff.unchanged() > 0) {
      lines.add(
          "  "
              + diff.unchanged()
              + (diff.unchanged() == 1 ? " object" : " objects")
              + " unchanged");
    }
    return lines;
  }

  private void object(Change change, String indent, List<String> lines) {
    boolean queue = change.kind() == ObjectKind.QUEUE;
    String kind = queue ? "queue  " : CellWidth.pad(change.kind().keyword(), KIND_WIDTH) + " ";
    String name = queue ? arrow(change) : change.name();
    String summary =
        change.action() == Action.ADDED && !queue ? PrintableText.line(summary(change)) : "";
    String line = indent + sign(change.action()) + " " + kind + CellWidth.pad(name, NAME_WIDTH);
    lines.add(
        output.paint().paint(style(change.action()), (line + "  " + summary).stripTrailing()));
    if (change.action() == Action.CHANGED) {
      for (Map.Entry<String, FieldChange> field : change.fields().entrySet()) {
        field(change, field.getKey(), field.getValue(), indent + "    ", lines);
      }
    }
  }

  private static String arrow(Change queue) {
    FieldChange profile = queue.fields().get("profile");
    FieldChange rank = queue.fields().get("rank");
    if (profile == null || rank == null) {
      return queue.name();
    }
    FieldText to = queue.action() == Action.REMOVED ? profile.from() : profile.to();
    return queue.action() == Action.ADDED
        ? queue.name() + " -> profile " + to + ", rank " + rank.to()
        : queue.name() + " -> profile " + to;
  }

  private void field(
      Change change, String name, FieldChange field, String indent, List<String> lines) {
    if (field.isChange()) {
      String text =
          indent + "~ " + CellWidth.pad(name, FIELD_WIDTH) + " " + PrintableText.line(text(field));
      lines.add(output.paint().paint(Style.CHANGED, text));
    } else if (isContext(change, name)) {
      lines.add(indent + "  " + CellWidth.pad(name, FIELD_WIDTH) + " " + field.to());
    }
  }

  /// Reservation and limit are printed together, because each explains the other.
  private static boolean isContext(Change change, String name) {
    String other =
        switch (name) {
          case "reservation" -> "limit";
          case "limit" -> "reservation";
          default -> "";
        };
    FieldChange changed = change.fields().get(other);
    return changed != null && changed.isChange();
  }

  /// `9 -> 6`, and for names without order `+ grace, - bob`.
  private static String text(FieldChange field) {
    if (field.from() instanceof FieldText.Unordered from
        && field.to() instanceof FieldText.Unordered to) {
      List<String> parts = new ArrayList<>();
      to.names().stream()
          .filter(name -> !from.names().contains(name))
          .forEach(name -> parts.add("+ " + name));
      from.names().stream()
          .filter(name -> !to.names().contains(name))
          .forEach(name -> parts.add("- " + name));
      return String.join(", ", parts);
    }
    return field.from() + " -> " + field.to();
  }

  /// The most informative fields of an added object.
  private static String summary(Change change) {
    List<String> shown =
        switch (change.kind()) {
          case TENANT -> List.of("visibility");
          case GROUP -> List.of("users", "serviceAccounts", "leads");
          case POOL ->
              List.of(
                  "type",
                  "gpuModel",
                  "capacity",
                  "mig",
                  "pricePerGpuHour",
                  "currency",
                  "dedicatedTo");
          case PROFILE ->
              List.of(
                  "gpus",
                  "workers",
                  "cpus",
                  "memory",
                  "gpuMemory",
                  "isolation",
                  "gpuModels",
                  "pools");
          case DEPARTMENT -> List.of("department", "reservation", "limit", "budget");
          case POLICY -> List.of("reservation", "limit", "group", "budget");
          case QUEUE -> List.of();
          case VAULT -> List.of("groups", "images", "commands");
          case PART -> List.of("reservation", "limit", "weight");
        };
    List<String> parts = new ArrayList<>();
    for (String name : shown) {
      FieldChange field = change.fields().get(name);
      if (field != null && !field.to().isEmpty() && !isUsual(name, field.to().toString())) {
        parts.add(name + " " + field.to());
      }
    }
    return String.join(", ", parts);
  }

  /// Values that go without saying.
  private static boolean isUsual(String field, String value) {
    return switch (field) {
      case "workers" -> value.equals("1");
      case "mig" -> value.equals("keep");
      case "cpus", "memory" -> value.equals("0") || value.startsWith("0B");
      default -> false;
    };
  }

  List<String> warnings(List<Warning> warnings) {
    List<String> lines = new ArrayList<>();
    if (!warnings.isEmpty()) {
      lines.add("");
      lines.add(output.bold("Warnings"));
    }
    for (Warning warning : warnings) {
      lines.add(
          output
              .paint()
              .paint(
                  Style.WAITING,
                  "  ! "
                      + PrintableText.line(warning.message())
                      + "   "
                      + PrintableText.line(warning.reason())));
    }
    return lines;
  }

  /// @param effects null: not known
  static String totals(ConfigurationDiff diff, @Nullable PlanEffects effects) {
    String jobs = effects == null ? "" : EffectsText.totals(effects);
    return "Plan: %d to add, %d to change, %d to remove%s."
        .formatted(
            diff.count(Action.ADDED),
            diff.count(Action.CHANGED),
            diff.count(Action.REMOVED),
            jobs.isEmpty() ? "" : "; " + jobs);
  }

  private static String sign(Action action) {
    return switch (action) {
      case ADDED -> "+";
      case CHANGED -> "~";
      case REMOVED -> "-";
      case KEPT -> " ";
    };
  }

  private static Style style(Action action) {
    return switch (action) {
      case ADDED -> Style.ADDED;
      case CHANGED -> Style.CHANGED;
      case REMOVED -> Style.REMOVED;
      case KEPT -> Style.PLAIN;
    };
  }
}
