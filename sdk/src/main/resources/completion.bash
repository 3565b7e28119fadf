# Completion of headgate for bash. Names come from the server and are kept for ten seconds.
_headgate_names() {
  local cache="${XDG_CACHE_HOME:-$HOME/.cache}/headgate/names-$1" now
  now=$(date +%s)
  if [[ ! -O $cache || $((now - $(stat -c %Y "$cache" 2>/dev/null || echo 0))) -gt 10 ]]; then
    (umask 077 && mkdir -p "${cache%/*}" && headgate "$@" -o name --no-input --timeout 2s >"$cache.$$" 2>/dev/null &&
      mv -f "$cache.$$" "$cache") || rm -f "$cache.$$"
  fi
  [[ -O $cache ]] && cat "$cache"
}
_headgate() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words=
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W '@COMMANDS@' -- "$word"))
    return
  fi
  case $before in
    --queue) words=$(_headgate_names queues) ;;
    -q) [[ $command == submit ]] && words=$(_headgate_names queues) ;;
    --policy) words=$(_headgate_names policies) ;;
    --pool) words=$(_headgate_names pools) ;;
    --node) words=$(_headgate_names nodes) ;;
    --job) words=$(_headgate_names jobs --all) ;;
    --context) words=$(headgate context -o name 2>/dev/null) ;;
    --state) words='DRAFT WAITING ASSIGNED RUNNING STOPPING SUSPENDED DONE FAILED CANCELLED LOST' ;;
    -o | --output) [[ $command == timeline ]] && words='text svg json jsonl' ||
      words='table wide json jsonl yaml csv name columns=help' ;;
    --color) words='auto always never' ;;
    --time) words='relative local utc' ;;
    -f | --file) COMPREPLY=($(compgen -f -- "$word")) && return ;;
  esac
  if [[ -z $words && $word != -* ]]; then
    case $command in
      jobs | explain | logs | wait | cancel | requeue) words=$(_headgate_names jobs --all) ;;
      queues | policies | budgets | profiles | pools | nodes) words=$(_headgate_names "$command") ;;
      drain | undrain | approve | forget) words=$(_headgate_names nodes) ;;
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
      help) words='@HELP@' ;;
    esac
  elif [[ -z $words ]]; then
    case $command in
@FLAGS@    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _headgate headgate
