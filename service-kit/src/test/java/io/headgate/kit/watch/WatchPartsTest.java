package io.headgate.kit.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.headgate.kit.proto.test.v1.Book;
import io.headgate.kit.proto.test.v1.Chapter;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.WatchAccessResponse;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.WatchCatalogResponse;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class WatchPartsTest {
  private static final int LAST = WatchAccessResponse.LAST_FIELD_NUMBER;

  @Test
  void whatFitsIsItsOwnAndLastPart() {
    WatchAccessResponse step = step(2, 3, 4);
    assertThat(WatchParts.split(step, WatchParts.BOUND, LAST)).containsExactly(step);
    WatchAccessResponse alive =
        WatchAccessResponse.newBuilder().setVersion(7).setLast(true).build();
    assertThat(WatchParts.split(alive, 1, LAST)).containsExactly(alive);
  }

  @Test
  void whatDoesNotFitIsDealtOutAndPutTogetherAgain() {
    WatchAccessResponse step = step(50, 4, 10);
    List<WatchAccessResponse> parts = WatchParts.split(step, 1000, LAST);
    assertThat(parts).hasSizeGreaterThan(10);
    assertThat(parts).allMatch(part -> part.getSerializedSize() <= 1000);
    assertThat(parts).allMatch(part -> part.getVersion() == 7 && part.getSnapshot());
    assertThat(parts.subList(0, parts.size() - 1)).noneMatch(WatchAccessResponse::getLast);
    assertThat(parts.getLast().getLast()).isTrue();
    assertThat(WatchParts.join(parts)).isEqualTo(step);
  }

  @Test
  void oneThingLargerThanAPartComesInPiecesOfItsName() {
    WatchAccessResponse step = step(1, 2, 10_000);
    List<WatchAccessResponse> parts = WatchParts.split(step, 4096, LAST);
    assertThat(parts).hasSizeGreaterThan(10);
    assertThat(parts).allMatch(part -> part.getSerializedSize() <= 4096);
    assertThat(parts)
        .allSatisfy(part -> {
          AccessConfiguration piece = part.getConfigurations(0);
          assertThat(piece.getTenant()).isEqualTo("tenant-0");
          assertThat(piece.getVersion()).isEqualTo(3);
        });
    assertThat(WatchParts.join(parts)).isEqualTo(step);
  }

  @Test
  void mapsAndWhatEveryPieceRepeatsSurvive() {
    Pool.Builder pool = Pool.newBuilder().setName("tenants/acme/pools/cloud").setGpuModel("H100");
    for (int i = 0; i < 20; i++) {
      pool.getElasticityBuilder().putSettings("key-" + i, "value");
      pool.addProfileOrder("profile-" + i);
    }
    ResourceConfiguration.Builder configuration =
        ResourceConfiguration.newBuilder().setTenant("acme").addPools(pool);
    for (int i = 0; i < 20; i++) {
      configuration.addPools(Pool.newBuilder().setName("tenants/acme/pools/p" + i));
    }
    WatchCatalogResponse step =
        WatchCatalogResponse.newBuilder().setLast(true).addConfigurations(configuration).build();
    List<WatchCatalogResponse> parts =
        WatchParts.split(step, 600, WatchCatalogResponse.LAST_FIELD_NUMBER);
    assertThat(parts).hasSizeGreaterThan(2);
    assertThat(WatchParts.join(parts)).isEqualTo(step);
  }

  @Test
  void whatCannotBeTakenApartIsAloneInItsPart() {
    Book book =
        Book.newBuilder()
            .setContent(ByteString.copyFrom(new byte[5000]))
            .addChapters(Chapter.newBuilder().setTitle("one"))
            .build();
    List<Book> parts = WatchParts.split(book, 100, Book.PAGES_FIELD_NUMBER);
    assertThat(parts).hasSize(1);
    assertThat(WatchParts.join(parts)).isEqualTo(book);
  }

  @Test
  void whateverIsTakenApartIsPutTogetherAsItWas() {
    long seed = RandomGenerator.getDefault().nextLong();
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(seed);
    for (int i = 0; i < 300; i++) {
      WatchAccessResponse step = step(random.nextInt(6), random.nextInt(6), random.nextInt(60));
      int bound = 200 + random.nextInt(2000);
      List<WatchAccessResponse> parts = WatchParts.split(step, bound, LAST);
      assertThat(parts).as("seed " + seed).allMatch(part -> part.getSerializedSize() <= bound);
      assertThat(WatchParts.join(parts)).as("seed " + seed).isEqualTo(step);
    }
  }

  private static WatchAccessResponse step(int tenants, int groups, int users) {
    WatchAccessResponse.Builder step =
        WatchAccessResponse.newBuilder()
            .setIncarnation("first-life")
            .setVersion(7)
            .setSnapshot(true)
            .setLast(true)
            .addDeletedTenants("gone");
    for (int tenant = 0; tenant < tenants; tenant++) {
      AccessConfiguration.Builder configuration =
          step.addConfigurationsBuilder().setTenant("tenant-" + tenant).setVersion(3);
      for (int group = 0; group < groups; group++) {
        Group.Builder each =
            configuration.addGroupsBuilder().setName("tenants/t/groups/group-" + group);
        for (int user = 0; user < users; user++) {
          each.addUsers("user-" + user);
        }
        each.addServiceAccounts("robot");
      }
    }
    return step.build();
  }
}
