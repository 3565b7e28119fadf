package io.headgate.sdk.cli.command;

import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;

/// `headgate completion`.
@Command(
    header = {
      "source <(headgate completion bash)     in ~/.bashrc",
      "source <(headgate completion zsh)      in ~/.zshrc",
      ""
    },
    description = "Prints a completion script for commands, flags, and names of the server.")
public final class CompletionCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Parameters(paramLabel = "bash|zsh", description = "The shell.")
  private String shell = "";

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) {
    switch (shell) {
      case "bash" -> invocation.output().text(script());
      case "zsh" ->
          // zsh can run bash completions, so one script serves both shells.
          invocation.output().text("autoload -U +X bashcompinit && bashcompinit\n" + script());
      default ->
          throw new UsageException(
              "there is no completion for \"" + shell + "\"",
              "UNKNOWN_ARGUMENT",
              "headgate completion bash, or zsh");
    }
    return ExitCode.DONE;
  }

  private static String script() {
    StringBuilder flags = new StringBuilder();
    for (String name : CommandRegistry.names()) {
      flags
          .append("    ")
          .append(name)
          .append(") words='")
          .append(String.join(" ", flags(name)))
          .append("' ;;\n");
    }
    return """
    # Completion of headgate for bash. Names come from the server and are kept for ten seconds.
    _headgate_names() {
      local cache="${XDG_CACHE_HOME:-$HOME/.cache}/headgate/names-$1" now
      now=$(date +%%s)
      if [[ ! -O $cache || $((now - $(stat -c %%Y "$cache" 2>/dev/null || echo 0))) -gt 10 ]]; then
        (umask 077 && mkdir -p "${cache%%/*}" && headgate "$@" -o name --no-input --timeout 2s >"$cache.$$" 2>/dev/null &&
          mv -f "$cache.$$" "$cache") || rm -f "$cache.$$"
      fi
      [[ -O $cache ]] && cat "$cache"
    }
    _headgate() {
      local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words=
      if [[ $COMP_CWORD -eq 1 ]]; then
        COMPREPLY=($(compgen -W '%s' -- "$word"))
        return
      fi
      case $before in
        --queue) words=$(_headgate_names queues) ;;
        -q) [[ $command == submit ]] && words=$(_headgate_names queues) ;;
        --policy) words=$(_headgate_names policies) ;;
        --context) words=$(headgate context -o name 2>/dev/null) ;;
        --state) words='DRAFT WAITING ASSIGNED RUNNING STOPPING SUSPENDED DONE FAILED CANCELLED LOST' ;;
        -o | --output) words='table wide json jsonl yaml csv name columns=help' ;;
        --color) words='auto always never' ;;
        --time) words='relative local utc' ;;
        -f | --file) COMPREPLY=($(compgen -f -- "$word")) && return ;;
      esac
      if [[ -z $words && $word != -* ]]; then
        case $command in
          jobs | explain | logs | wait | cancel | requeue) words=$(_headgate_names jobs --all) ;;
          queues | policies | profiles | pools | nodes) words=$(_headgate_names "$command") ;;
          drain | undrain | forget) words=$(_headgate_names nodes) ;;
          join-token) words=$(_headgate_names pools) ;;
          context)
            words=$(headgate context -o name 2>/dev/null)
            [[ $before == context ]] && words="list use set $words"
            ;;
          keys)
            [[ $before == keys ]] && words='list create revoke'
            [[ $before == revoke ]] && words=$(_headgate_names keys)
            ;;
          join-tokens)
            [[ $before == join-tokens ]] && words='list revoke'
            [[ $before == revoke ]] && words=$(_headgate_names join-tokens)
            ;;
          completion) words='bash zsh' ;;
          help) words='%s' ;;
        esac
      elif [[ -z $words ]]; then
        case $command in
    %s    esac
      fi
      COMPREPLY=($(compgen -W "$words" -- "$word"))
    }
    complete -o default -F _headgate headgate
    """
        .formatted(
            String.join(" ", CommandRegistry.names()),
            String.join(" ", HelpCommand.TOPICS) + " " + String.join(" ", CommandRegistry.names()),
            flags.toString().indent(4));
  }

  private static List<String> flags(String command) {
    List<String> flags = new ArrayList<>();
    CommandLine model = new CommandLine(CommandRegistry.find(command).orElseThrow().create().get());
    for (OptionSpec option : model.getCommandSpec().options()) {
      Arrays.stream(option.names()).filter(name -> name.startsWith("--")).forEach(flags::add);
    }
    return flags;
  }
}
