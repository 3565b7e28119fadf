package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.Refusal.FieldViolation;
import io.headgate.kit.failure.RefusalException;
import io.headgate.kit.proto.test.v1.Book;
import io.headgate.kit.proto.test.v1.Chapter;
import io.headgate.kit.proto.test.v1.PutBookRequest;
import io.headgate.proto.policy.v1.Budget;
import io.headgate.proto.scheduler.v1.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MessageRulesTest {
  private static final MessageRules RULES =
      new MessageRules(List.of(PutBookRequest.getDescriptor(), Struct.getDescriptor()));

  private static final PutBookRequest GOOD =
      PutBookRequest.newBuilder()
          .setParent("tenants/acme")
          .setBook(
              Book.newBuilder()
                  .setId("faust")
                  .setPages(200)
                  .setContent(ByteString.copyFrom(new byte[] {0, 1}))
                  .addChapters(Chapter.newBuilder().setTitle("one"))
                  .addChapters(Chapter.newBuilder().setTitle("two")))
          .build();

  @Test
  void aGoodMessagePassesAndBytesMayHoldAnything() {
    assertThatCode(() -> RULES.require("", GOOD)).doesNotThrowAnyException();
  }

  @Test
  void aNulIsRefusedInEveryTextHoweverDeep() {
    PutBookRequest.Builder wrong = GOOD.toBuilder().setParent("tenants/acme\0");
    wrong.getBookBuilder().getChaptersBuilder(1).setTitle("t\0wo");
    Refusal refusal = refusal("", wrong.build());
    assertThat(refusal.reason()).isEqualTo("INVALID_FIELD");
    assertThat(refusal.violations())
        .extracting(FieldViolation::field)
        .containsExactlyInAnyOrder("parent", "book.chapters[1].title");
    assertThat(refusal.message()).startsWith("parent: holds a NUL").endsWith("(and 1 more)");
    assertThat(refusal("request", wrong.build()).violations())
        .extracting(FieldViolation::field)
        .contains("request.book.chapters[1].title");
  }

  @Test
  void aNulIsRefusedInKeysAndValuesOfMaps() {
    Value nul = Value.newBuilder().setStringValue("\0").build();
    assertThat(fields(Struct.newBuilder().putFields("a", nul).build()))
        .containsExactly("fields[\"a\"].string_value");
    assertThat(fields(Struct.newBuilder().putFields("a\0", Value.getDefaultInstance()).build()))
        .containsExactly("fields");
  }

  @Test
  void aNulIsToldTogetherWithWhateverElseIsWrong() {
    PutBookRequest.Builder wrong = GOOD.toBuilder().setParent("\0");
    wrong.getBookBuilder().setPages(0);
    assertThat(fields(wrong.build())).containsExactly("parent", "book.pages");
  }

  @Test
  void aPatternIsToldInWordsWithTheValue() {
    MessageRules rules = new MessageRules(List.of(JobSpec.getDescriptor()));
    JobSpec wrong =
        JobSpec.newBuilder().setQueue("one").addCommand("true").putEnvironment("1UP", "x").build();
    assertThat(
            catchThrowableOfType(RefusalException.class, () -> rules.require("spec", wrong))
                .refusal()
                .message())
        .isEqualTo(
            "spec.environment[\"1UP\"]: \"1UP\" is wrong: use letters, digits and underscores, not"
                + " starting with a digit");
  }

  @Test
  void anEnumerationThatIsNotSetIsToldWithItsValues() {
    MessageRules rules = new MessageRules(List.of(Budget.getDescriptor()));
    Budget wrong = Budget.newBuilder().setGpuHours("1").build();
    assertThat(
            catchThrowableOfType(RefusalException.class, () -> rules.require("budget", wrong))
                .refusal()
                .message())
        .isEqualTo("budget.per: is not set: use one of PER_DAY, PER_WEEK, PER_MONTH, PER_YEAR");
  }

  @Test
  void everyPatternOfTheContractHasWords() throws IOException {
    Pattern declared = Pattern.compile("pattern\\s*[:=]\\s*\"(\\^.*?)\"");
    List<String> without = new ArrayList<>();
    int found = 0;
    try (Stream<Path> files = Files.walk(Path.of("../proto/src/main/protobuf"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".proto")).toList()) {
        for (MatchResult match : declared.matcher(Files.readString(file)).results().toList()) {
          found++;
          if (PatternWords.of(match.group(1)) == null) {
            without.add(match.group(1));
          }
        }
      }
    }
    assertThat(without).isEmpty();
    assertThat(found).isGreaterThan(20);
  }

  @Test
  void manyWrongFieldsMakeNoHugeAnswer() {
    PutBookRequest.Builder wrong = GOOD.toBuilder();
    for (int i = 0; i < 5000; i++) {
      wrong.getBookBuilder().addChapters(Chapter.newBuilder().setTitle("\0"));
    }
    Refusal refusal = refusal("", wrong.build());
    assertThat(refusal.violations()).hasSize(100);
    assertThat(refusal.message()).endsWith("(and 4999 more)");
  }

  private static List<String> fields(Message message) {
    return refusal("", message).violations().stream().map(FieldViolation::field).toList();
  }

  private static Refusal refusal(String field, Message message) {
    return catchThrowableOfType(RefusalException.class, () -> RULES.require(field, message))
        .refusal();
  }
}
