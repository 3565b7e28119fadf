package io.headgate.kit.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.kit.seal.BrokenSealException;
import io.headgate.kit.seal.EncryptionKey;
import io.headgate.kit.seal.KeyFile;
import io.headgate.kit.seal.KeyMissingException;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.seal.SealedPlace;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestClock;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/// Keys outside of the database, and processes that share them.
final class DataKeyTableTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("letters");

  private static final SealedPlace PLACE = SealedPlace.of("letter", "body", "1");

  @TempDir Path directory;

  private final TestClock clock = new TestClock();
  private DatabaseConfig config;
  private Database database;

  @BeforeEach
  void open() {
    config = POSTGRES.fresh();
    database = Database.open(config);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private KeyFile file(String machine) {
    return new KeyFile(directory.resolve(machine));
  }

  /// A process of the service.
  private Seal process(String machine) {
    return process(machine, 1_000_000);
  }

  private Seal process(String machine, long maxSealed) {
    DataKeyTable.Limits limits = new DataKeyTable.Limits(maxSealed, Runnable::run);
    return new Seal("letters", DataKeyTable.open(database, file(machine), clock, limits));
  }

  /// The process looks at its data key.
  private void lookAgain(Seal process) {
    clock.advance(DataKeyTable.CHECKED_EVERY);
    process.sealText("x", PLACE);
  }

  private KeyRotation rotation(String machine) {
    return new KeyRotation(database, file(machine));
  }

  private void copyFile(String from, String to) throws Exception {
    Files.createDirectories(file(to).path().getParent());
    Files.copy(file(from).path(), file(to).path(), StandardCopyOption.REPLACE_EXISTING);
  }

  private void keepFirstLine(String machine) {
    file(machine).write(List.of(file(machine).read().getFirst()));
  }

  private static long keyOf(byte[] sealed) {
    return ByteBuffer.wrap(sealed).getLong(1);
  }

  @Test
  void processesOfOneFileOpenEachOthersValues() {
    Seal first = process("a");
    Seal second = process("a");
    byte[] byFirst = first.sealText("one", PLACE);
    byte[] bySecond = second.sealText("two", PLACE);
    assertThat(keyOf(bySecond)).as("each counts its own").isNotEqualTo(keyOf(byFirst));
    assertThat(first.openText(bySecond, PLACE)).isEqualTo("two");
    assertThat(second.openText(byFirst, PLACE)).isEqualTo("one");
    assertThat(process("a").openText(bySecond, PLACE)).isEqualTo("two");
  }

  @Test
  void aProcessWithAnotherFileDoesNotStartAndCreatesNone() {
    process("a");
    assertThatThrownBy(() -> process("b"))
        .isInstanceOf(KeyMissingException.class)
        .hasMessageContaining(file("b").path().toString())
        .hasMessageContaining(file("a").read().getFirst().id())
        .hasMessageContaining("copy that file from another process of this service");
    assertThat(file("b").path()).doesNotExist();
    file("c").readOrCreate();
    assertThatThrownBy(() -> process("c")).isInstanceOf(KeyMissingException.class);
  }

  @Test
  void ofTwoMachinesThatStartFirstAtOnceOneRefuses() throws Exception {
    int machines = 4;
    List<Callable<Boolean>> starts = new ArrayList<>();
    for (int i = 0; i < machines; i++) {
      String machine = "m" + i;
      starts.add(() -> {
        try {
          process(machine);
          return true;
        } catch (KeyMissingException e) {
          return false;
        }
      });
    }
    int started = 0;
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Boolean> start : threads.invokeAll(starts)) {
        started += start.get() ? 1 : 0;
      }
    }
    assertThat(started).isOne();
  }

  @Test
  void aDataKeySealsABoundedNumberOfValues() {
    Seal seal = process("a", 3);
    Map<Long, Integer> sealed = new HashMap<>();
    for (int i = 0; i < 20; i++) {
      sealed.merge(keyOf(seal.sealText("x", PLACE)), 1, Integer::sum);
    }
    assertThat(sealed.values()).allMatch(values -> values <= 3).contains(3);
  }

  @Test
  void processesGoOnOverARotation() {
    Seal running = process("a");
    byte[] before = running.sealText("before", PLACE);
    String former = file("a").read().getFirst().id();
    var rotated = rotation("a").rotate();
    assertThat(rotated.key()).isNotEqualTo(former);
    assertThat(file("a").read())
        .extracting(EncryptionKey::id)
        .containsExactly(rotated.key(), former);
    byte[] soon = running.sealText("soon", PLACE);
    assertThat(running.openText(before, PLACE)).isEqualTo("before");

    lookAgain(running);
    byte[] later = running.sealText("later", PLACE);
    assertThat(keyOf(later)).as("new rows have a new data key").isNotEqualTo(keyOf(before));

    keepFirstLine("a");
    for (Seal process : List.of(running, process("a"))) {
      assertThat(process.openText(before, PLACE)).isEqualTo("before");
      assertThat(process.openText(soon, PLACE)).isEqualTo("soon");
      assertThat(process.openText(later, PLACE)).isEqualTo("later");
    }
  }

  @Test
  void anInterruptedRotationIsFinishedByTheNext() {
    byte[] sealed = process("a").sealText("x", PLACE);
    process("a").sealText("y", PLACE);
    String former = file("a").read().getFirst().id();

    // After the file was written.
    String prepared = rotation("a").prepare();
    assertThat(rotation("a").prepare()).isEqualTo(prepared);
    assertThat(process("a").openText(sealed, PLACE)).isEqualTo("x");
    assertThat(wrappedBy()).as("nothing uses the prepared key").containsOnly(former);

    // Between the data keys.
    try (Database owner = Database.open(config.asOwner())) {
      owner
          .jooq()
          .execute(
              """
              create function fail_once() returns trigger language plpgsql as $$
              begin
                if (select count(*) from letters.data_key where retired) > 0 then
                  raise exception 'the connection is lost';
                end if;
                return new;
              end $$;
              create trigger fail_once before update on data_key
                for each row execute function fail_once()\
              """);
      assertThatThrownBy(() -> rotation("a").rotate()).hasMessageContaining("connection is lost");
      assertThat(wrappedBy()).containsOnly(former);
      assertThat(process("a").openText(sealed, PLACE)).isEqualTo("x");
      owner.jooq().execute("drop trigger fail_once on data_key");
    }

    assertThat(rotation("a").rotate().key()).isEqualTo(prepared);
    assertThat(wrappedBy()).containsOnly(prepared);
    keepFirstLine("a");
    assertThat(process("a").openText(sealed, PLACE)).isEqualTo("x");
  }

  @Test
  void otherMachinesGetThePreparedKeyBeforeItIsInForce() throws Exception {
    Seal here = process("a");
    copyFile("a", "b");
    Seal there = process("b");
    rotation("a").prepare();
    copyFile("a", "b");
    rotation("a").rotate();
    lookAgain(here);
    lookAgain(there);
    byte[] sealed = here.sealText("x", PLACE);
    assertThat(there.openText(sealed, PLACE)).isEqualTo("x");
    byte[] back = there.sealText("y", PLACE);
    assertThat(here.openText(back, PLACE)).isEqualTo("y");
  }

  @Test
  void aMachineWithoutTheNewKeySaysSoAndItsValuesStayReadable() throws Exception {
    Seal here = process("a");
    copyFile("a", "b");
    Seal there = process("b");
    byte[] first = there.sealText("first", PLACE);
    rotation("a").rotate();
    lookAgain(there);
    lookAgain(here);
    byte[] second = there.sealText("second", PLACE);
    assertThat(keyOf(second)).isEqualTo(keyOf(first));
    assertThat(here.openText(second, PLACE)).isEqualTo("second");
    byte[] foreign = here.sealText("foreign", PLACE);
    assertThatThrownBy(() -> there.open(foreign, PLACE))
        .isInstanceOf(KeyMissingException.class)
        .hasMessageContaining(file("b").path().toString());
    assertThatThrownBy(() -> there.tryOpen(foreign, PLACE))
        .as("a missing key is no broken value")
        .isInstanceOf(KeyMissingException.class);
    copyFile("a", "b");
    clock.advance(DataKeyTable.MISSING_FOR);
    assertThat(there.openText(foreign, PLACE)).isEqualTo("foreign");
  }

  @Test
  void aFileThatCannotBeReadNowHoldsUpNoSealing() throws Exception {
    Seal here = process("a");
    copyFile("a", "b");
    Seal there = process("b");
    byte[] first = there.sealText("first", PLACE);
    rotation("a").rotate();
    lookAgain(here);
    byte[] foreign = here.sealText("foreign", PLACE);
    copyFile("a", "b");
    Files.setPosixFilePermissions(file("b").path(), PosixFilePermissions.fromString("rw-r--r--"));
    lookAgain(there);
    assertThat(keyOf(there.sealText("second", PLACE))).isEqualTo(keyOf(first));
    assertThatThrownBy(() -> there.open(foreign, PLACE))
        .isInstanceOf(KeyMissingException.class)
        .hasMessageContaining("chmod 600");
    Files.setPosixFilePermissions(file("b").path(), PosixFilePermissions.fromString("rw-------"));
    clock.advance(DataKeyTable.MISSING_FOR);
    assertThat(there.openText(foreign, PLACE)).isEqualTo("foreign");
  }

  @Test
  void aKeyThatIsMissingIsNotLookedForAgainAtOnce() {
    byte[] sealed = process("a").sealText("x", PLACE);
    var row = database.jooq().fetch("select * from data_key where id = ?", keyOf(sealed));
    database.jooq().execute("delete from data_key where id = ?", keyOf(sealed));
    Seal other = process("a");
    assertThatThrownBy(() -> other.open(sealed, PLACE)).isInstanceOf(BrokenSealException.class);
    database
        .jooq()
        .execute(
            "insert into data_key (id, wrapped, wrapped_by) values (?, ?, ?)",
            row.getValue(0, "id"),
            row.getValue(0, "wrapped"),
            row.getValue(0, "wrapped_by"));
    assertThatThrownBy(() -> other.open(sealed, PLACE)).isInstanceOf(BrokenSealException.class);
    clock.advance(DataKeyTable.MISSING_FOR);
    assertThat(other.openText(sealed, PLACE)).isEqualTo("x");
  }

  @Test
  void saysThatAFormerKeyIsInForceAgain() {
    process("a");
    var before = database.jooq().fetch("select * from data_key");
    String former = file("a").read().getFirst().id();
    assertThat(warnings(() -> process("a"))).isEmpty();
    String present = rotation("a").rotate().key();
    assertThat(warnings(() -> process("a"))).isEmpty();

    // A backup from before the rotation is restored.
    database.jooq().execute("delete from data_key");
    before.forEach(row ->
        database
            .jooq()
            .execute(
                "insert into data_key (id, wrapped, wrapped_by) values (?, ?, ?)",
                row.get("id"),
                row.get("wrapped"),
                row.get("wrapped_by")));
    assertThat(warnings(() -> process("a")))
        .singleElement()
        .asString()
        .contains(former + " is in force", "begins with " + present, "--rotate-encryption-key");
    Seal running = process("a", 1);
    assertThat(warnings(() -> running.sealText("x", PLACE))).isEmpty();
    assertThat(warnings(() -> running.sealText("y", PLACE))).as("a new data key").hasSize(1);

    assertThat(rotation("a").rotate().key()).isEqualTo(present);
    assertThat(warnings(() -> process("a"))).isEmpty();
  }

  private static List<String> warnings(Runnable work) {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(DataKeyTable.class);
    log.start();
    logger.addAppender(log);
    try {
      work.run();
    } finally {
      logger.detachAppender(log);
    }
    return log.list.stream()
        .filter(event -> event.getLevel() == Level.WARN)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @Test
  void aLostFileCostsWhatItSealedAndNothingElse() throws Exception {
    byte[] lost = process("a").sealText("lost", PLACE);
    new SharedSecrets(database, process("a"), "secret", "name").get("pages", 32);
    database.jooq().execute("insert into letter (id, body) values (1, ?)", lost);
    Files.delete(file("a").path());
    assertThatThrownBy(() -> process("a")).hasMessageContaining("--replace-encryption-key");

    List<KeyRotation.Renewable> secrets = List.of(new KeyRotation.Renewable("secret", "value"));
    assertThatThrownBy(() -> rotation("a").replace(secrets, _ -> {}))
        .as("the directory may not be mounted")
        .isInstanceOf(CannotStartException.class)
        .hasMessageContaining(file("a").path() + " is absent");
    assertThat(file("a").path()).doesNotExist();
    Files.createFile(
        file("a").path(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    int dataKeys = wrappedBy().size();
    assertThatThrownBy(() ->
            rotation("a")
                .replace(
                    secrets,
                    _ -> {
                      throw new IllegalStateException("the process is killed");
                    }))
        .hasMessageContaining("killed");
    assertThat(wrappedBy()).as("all of it or nothing").hasSize(dataKeys);
    // The file has a key now, so the next call needs no confirmation.
    int given = rotation("a").replace(secrets, _ -> {});
    assertThat(given).isPositive();
    Seal anew = process("a");
    assertThatThrownBy(() -> anew.open(lost, PLACE)).isInstanceOf(BrokenSealException.class);
    assertThat(new SharedSecrets(database, anew, "secret", "name").get("pages", 32)).hasSize(32);
    byte[] fresh = anew.sealText("fresh", PLACE);
    assertThat(process("a").openText(fresh, PLACE)).isEqualTo("fresh");
    assertThat(rotation("a").replace(List.of(), _ -> {}))
        .as("there is nothing to give up")
        .isZero();
    assertThat(process("a").openText(fresh, PLACE)).isEqualTo("fresh");
  }

  @Test
  void aChangedDataKeyTakesItsOwnValuesOnly() {
    Seal first = process("a");
    byte[] broken = first.sealText("broken", PLACE);
    byte[] good = process("a").sealText("good", PLACE);
    database
        .jooq()
        .execute(
            "update data_key set wrapped = set_byte(wrapped, 20, get_byte(wrapped, 20) # 1)"
                + " where id = ?",
            keyOf(broken));
    Seal restarted = process("a");
    assertThatThrownBy(() -> restarted.open(broken, PLACE)).isInstanceOf(BrokenSealException.class);
    assertThat(restarted.openText(good, PLACE)).isEqualTo("good");
    assertThatCode(() -> rotation("a").rotate()).doesNotThrowAnyException();
    keepFirstLine("a");
    assertThat(process("a").openText(good, PLACE)).isEqualTo("good");
  }

  @Test
  void aDatabaseThatWentBackGetsTheDataKeyOfARunningProcessAgain() {
    process("a");
    Seal running = process("a");
    byte[] sealed = running.sealText("x", PLACE);
    database.jooq().execute("delete from data_key where id = ?", keyOf(sealed));
    lookAgain(running);
    byte[] later = running.sealText("y", PLACE);
    assertThat(process("a").openText(sealed, PLACE)).isEqualTo("x");
    assertThat(process("a").openText(later, PLACE)).isEqualTo("y");
  }

  @Test
  void sharedSecretsSurviveAndAreSealed() {
    byte[] secret = new SharedSecrets(database, process("a"), "secret", "name").get("pages", 32);
    assertThat(new SharedSecrets(database, process("a"), "secret", "name").get("pages", 32))
        .isEqualTo(secret);
    byte[] stored =
        database
            .jooq()
            .fetchSingle("select value from secret where name = 'pages'")
            .get(0, byte[].class);
    assertThat(stored).hasSizeGreaterThan(32).startsWith(Seal.VERSION);
    assertThat(HexFormat.of().formatHex(stored)).doesNotContain(HexFormat.of().formatHex(secret));
  }

  private List<String> wrappedBy() {
    return database.jooq().fetch("select wrapped_by from data_key").getValues(0, String.class);
  }
}
