package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.failure.RefusalException;
import io.headgate.kit.telemetry.Telemetry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MemoryBrakeTest {
  private static final long MIB = 1 << 20;

  private final AtomicLong used = new AtomicLong();
  private final MemoryBrake brake =
      new MemoryBrake(() -> new MemoryBrake.Left(used.get() * MIB, 1000 * MIB), 80);

  @Test
  void goesOnAboveItsShareAndOffWhenTenPercentAreFreeAgain() {
    List<Long> on = new ArrayList<>();
    for (long mib : new long[] {0, 700, 800, 810, 790, 710, 700, 790, 950}) {
      used.set(mib);
      if (brake.isOn()) {
        on.add(mib);
      }
    }
    assertThat(on).containsExactly(810L, 790L, 710L, 950L);
  }

  @Test
  void refusesNewWorkWithItsNumbers() {
    assertThatCode(brake::demandOff).doesNotThrowAnyException();
    used.set(900);
    assertThatThrownBy(brake::demandOff)
        .isInstanceOf(RefusalException.class)
        .hasMessageContaining("900 of 1000 MiB in use, 80 % may be");
  }

  @Test
  void refusesWorkThatNeedsMoreThanIsFree() {
    used.set(600);
    assertThatCode(() -> brake.demandRoom(400 * MIB, "a plan")).doesNotThrowAnyException();
    assertThatThrownBy(() -> brake.demandRoom(401 * MIB, "a plan"))
        .hasMessageContaining("a plan needs about 401 MiB, and the server has 400 MiB free");
  }

  /// Memory that stays in use after a collection counts, whichever collector this Java has.
  @Test
  void readsWhatACollectionOfThisProcessLeaves() {
    MemoryBrake real = MemoryBrake.ofHeap(100, Telemetry.disabled().meter("test"));
    byte[] kept = new byte[64 << 20];
    System.gc();
    assertThat(real.isOn()).isFalse();
    assertThatThrownBy(() -> real.demandRoom(Runtime.getRuntime().maxMemory(), "a whole heap"))
        .hasMessageContaining("a whole heap needs about");
    assertThat(kept).hasSize(64 << 20);
  }
}
