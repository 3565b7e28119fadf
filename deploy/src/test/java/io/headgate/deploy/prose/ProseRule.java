package io.headgate.deploy.prose;

import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// A phrase that makes a stranger read a sentence twice, and its remedy.
enum ProseRule {
  THING_AS_PERSON(
      "\\b(?:who(?:m|se)?ever|nobody|somebody)\\b",
      "name the subject: the scheduler, the job, a user"),
  WHO_IS_A_THING("(?<![\\w-])who\\b", "\"who\" is for people: name the program or thing"),
  IS_TO_BE(
      "\\b(?:is|are|was|were) (?:not |never |still |yet |only |now )?to be\\b",
      "say who does it: \"the agent stops the job\""),
  CAN_BE_HAD("\\b(?:can|could|cannot|may|to) (?:not |never )?be had\\b", "say \"is available\""),
  THAT_WHICH("\\b(?:that|those) which\\b", "use a noun"),
  PREPOSITION_WHAT("\\b(?:of|by|in|for|with|from|to|on) what\\b(?!-if)", "name the thing"),
  NEXT_TO_NOTHING("\\bnext to nothing\\b", "give the number"),
  SAME_WITHOUT_NOUN("\\bthe same(?=[.,;:)]|$)", "say the same what"),
  ANTECEDENT_DROPPED(
      "^(?:(?:By|For|With|To|From|In) (?:those|these|what|which)\\b(?! cases| rules| tests| files|"
          + " words)|Those\\b|That of\\b)",
      "repeat the noun"),
  SO_MANY(
      "\\bso (?:many|much|long|often|few)\\b(?!.{0,60}\\b(?:that|as)\\b)",
      "give the number, or name the parameter"),
  BEGINS_WITH_OF("^Of\\b", "begin with the subject"),
  CLAUSE_AS_SUBJECT("^(?:What|Who|Whose|Whom)\\b(?!.*\\?$)", "begin with a noun");

  private static final Pattern PERSON_BEFORE =
      Pattern.compile(
          "(?:users?|people|persons?|admins?|administrators?|operators?|engineers?|members?|readers?|"
              + "developers?|someone|anyone|everyone|leads?|newcomers?|strangers?|attackers?|owners?|"
              + "providers?|teams?|humans?)[,)]?\\s+(?:\\w+\\s+)?$",
          Pattern.CASE_INSENSITIVE);

  private final Pattern pattern;
  private final String remedy;

  ProseRule(String pattern, String remedy) {
    boolean anyCase = !pattern.startsWith("^");
    this.pattern = Pattern.compile(pattern, anyCase ? Pattern.CASE_INSENSITIVE : 0);
    this.remedy = remedy;
  }

  /// The first place where the sentence breaks this rule, with the remedy.
  Optional<String> offence(String sentence) {
    return pattern
        .matcher(sentence)
        .results()
        .filter(breaksIn(sentence))
        .findFirst()
        .map(found ->
            "\"%s\": %s"
                .formatted(
                    sentence.substring(
                        Math.max(0, found.start() - 25),
                        Math.min(sentence.length(), found.end() + 25)),
                    remedy));
  }

  private Predicate<MatchResult> breaksIn(String sentence) {
    if (this != WHO_IS_A_THING) {
      return _ -> true;
    }
    return found ->
        !sentence.endsWith("?")
            && !PERSON_BEFORE.matcher(sentence.substring(0, found.start())).find();
  }
}
