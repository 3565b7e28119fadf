package io.headgate.sdk.cli.frame;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that every command understands, unparsed; [Invocation] interprets them.
public final class GlobalOptions {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  public boolean help;

  @Option(
      names = "--server",
      paramLabel = "URL",
      description = "Address of the server. [HEADGATE_SERVER; else the context]")
  public @Nullable String server;

  @Option(
      names = "--context",
      paramLabel = "NAME",
      description = "The context. [HEADGATE_CONTEXT; else the selected one]")
  public @Nullable String context;

  @Option(
      names = {"-t", "--tenant"},
      paramLabel = "ID",
      description = "The tenant. [HEADGATE_TENANT; else the context's, else yours]")
  public @Nullable String tenant;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      description =
          "table, wide, json, jsonl, yaml, csv, name or columns=A,B (help lists them)."
              + " [HEADGATE_OUTPUT]")
  public @Nullable String output;

  @Option(
      names = "--color",
      paramLabel = "WHEN",
      description = "auto, always or never. [NO_COLOR, CLICOLOR, CLICOLOR_FORCE]")
  public @Nullable String color;

  @Option(names = "--time", paramLabel = "FORM", description = "relative, local or utc.")
  public @Nullable String time;

  @Option(
      names = {"-y", "--yes"},
      description = "Answer yes to every question.")
  public boolean yes;

  @Option(
      names = "--no-input",
      description = "Never ask; fail where a question would be needed. [HEADGATE_NO_INPUT, CI]")
  public boolean noInput;

  @Option(names = "--quiet", description = "Print the data without remarks.")
  public boolean quiet;

  @Option(
      names = {"-v", "--verbose"},
      description = "Also print request and trace ids.")
  public boolean verbose;

  @Option(names = "--debug", description = "Also print every call to the server. [HEADGATE_DEBUG]")
  public boolean debug;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "Longest time of a call, retries included (default: 30s).")
  public @Nullable String timeout;
}
