package io.headgate.kit.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

class SealTest {
  private static final SealedPlace PLACE = SealedPlace.of("letter", "body", "acme", "7");
  private static final String SECRET = "the password is swordfish";

  private final DataKey key = DataKey.random();
  private final Map<Long, DataKey> known = Map.of(key.id(), key);
  private final Seal seal = new Seal("post", keys());

  private DataKeys keys() {
    return new DataKeys() {
      @Override
      public DataKey forSealing() {
        return key;
      }

      @Override
      public Optional<DataKey> find(long id) {
        return Optional.ofNullable(known.get(id));
      }
    };
  }

  static List<SealedPlace> otherPlaces() {
    return List.of(
        SealedPlace.of("letter", "body", "acme", "8"),
        SealedPlace.of("letter", "body", "other", "7"),
        SealedPlace.of("letter", "body", "acme7"),
        SealedPlace.of("letter", "body", "acme", "7", ""),
        SealedPlace.of("letter", "subject", "acme", "7"),
        SealedPlace.of("letters", "body", "acme", "7"));
  }

  @Test
  void opensWhatItSealed() {
    byte[] sealed = seal.sealText(SECRET, PLACE);
    assertThat(seal.openText(sealed, PLACE)).isEqualTo(SECRET);
    assertThat(new String(sealed, StandardCharsets.ISO_8859_1)).doesNotContain("swordfish");
    assertThat(seal.sealText(SECRET, PLACE)).as("each has a nonce of its own").isNotEqualTo(sealed);
    assertThat(seal.open(seal.seal(new byte[0], PLACE), PLACE)).isEmpty();
  }

  @Test
  void manyFaultsOfOneColumnHideNoneOfAnother() {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(Seal.class);
    log.start();
    logger.addAppender(log);
    // Ten thousand lines tell a reader of the build nothing.
    logger.setAdditive(false);
    try {
      for (int row = 0; row <= Seal.MAX_REPORTED; row++) {
        seal.tryOpen(new byte[0], SealedPlace.of("job_spec", "document", "row-" + row));
      }
      seal.tryOpen(new byte[0], PLACE);
      seal.tryOpen(new byte[0], PLACE);
    } finally {
      logger.setAdditive(true);
      logger.detachAppender(log);
    }
    List<String> said = log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    assertThat(said)
        .filteredOn(line -> line.contains("letter.body"))
        .containsExactly(
            "post." + PLACE + " cannot be decrypted: it is not in a form that this version knows");
    assertThat(said)
        .filteredOn(line -> line.contains("job_spec"))
        .hasSize(Seal.MAX_REPORTED + 1)
        .last()
        .asString()
        .contains("further ones are not logged");
  }

  @ParameterizedTest
  @MethodSource("otherPlaces")
  void whatIsSealedForOnePlaceOpensInNoOther(SealedPlace other) {
    byte[] sealed = seal.sealText(SECRET, PLACE);
    assertThatThrownBy(() -> seal.open(sealed, other))
        .isInstanceOf(BrokenSealException.class)
        .hasMessageContaining(other.toString())
        .hasMessageContaining("moved here from another place");
    assertThat(seal.tryOpen(sealed, other)).isEmpty();
  }

  @Test
  void whatIsSealedInOneSchemaOpensInNoOther() {
    byte[] sealed = seal.sealText(SECRET, PLACE);
    assertThatThrownBy(() -> new Seal("elsewhere", keys()).open(sealed, PLACE))
        .isInstanceOf(BrokenSealException.class);
  }

  @Test
  void eachChangedByteIsNoticedAndNoMessageShowsTheContent() {
    byte[] sealed = seal.sealText(SECRET, PLACE);
    List<String> messages = new ArrayList<>();
    for (int i = 0; i < sealed.length; i++) {
      byte[] changed = sealed.clone();
      changed[i] ^= 1;
      assertThatThrownBy(() -> seal.open(changed, PLACE))
          .isInstanceOf(BrokenSealException.class)
          .satisfies(failure -> messages.add(failure.getMessage()));
    }
    for (int length = 0; length < sealed.length; length++) {
      byte[] cut = Arrays.copyOf(sealed, length);
      assertThatThrownBy(() -> seal.open(cut, PLACE)).isInstanceOf(BrokenSealException.class);
    }
    assertThat(messages)
        .allMatch(message -> message.startsWith("letter.body of acme/7 cannot be decrypted"))
        .noneMatch(message -> message.contains("swordfish"));
  }

  @Test
  void whatADatabaseOfAnotherInstallationSealedNamesThePlace() {
    byte[] sealed = seal.sealText(SECRET, PLACE);
    DataKeys none =
        new DataKeys() {
          @Override
          public DataKey forSealing() {
            return DataKey.random();
          }

          @Override
          public Optional<DataKey> find(long id) {
            return Optional.empty();
          }
        };
    assertThatThrownBy(() -> new Seal("post", none).open(sealed, PLACE))
        .hasMessage(
            "letter.body of acme/7 cannot be decrypted: the database does not have its data key");
  }

  @Test
  void aDataKeyOpensWithItsKeyEncryptionKeyItsIdAndItsSchemaOnly() {
    EncryptionKey own = EncryptionKey.random();
    byte[] wrapped = key.wrapped(own, "post");
    assertThat(DataKey.unwrap(key.id(), wrapped, own, "post")).isPresent();
    assertThat(DataKey.unwrap(key.id() + 1, wrapped, own, "post")).isEmpty();
    assertThat(DataKey.unwrap(key.id(), wrapped, own, "elsewhere")).isEmpty();
    assertThat(DataKey.unwrap(key.id(), wrapped, EncryptionKey.random(), "post")).isEmpty();
    assertThat(own.toString()).doesNotContain(own.reveal());
  }
}
