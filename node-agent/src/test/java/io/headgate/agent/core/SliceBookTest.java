package io.headgate.agent.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.DeviceInfo.Geometry;
import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Checks of the agent before it grants a slice of a divided device, whatever the scheduler says.
class SliceBookTest {
  private static final long GIB = 1L << 30;

  private static SliceGrant grant(String gpus, String place) {
    String[] parts = place.split("@|/");
    return new SliceGrant(
        0,
        "U",
        GpuQuantity.parse(gpus),
        GIB,
        place.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new SlicePlace(parts[0], Integer.parseInt(parts[1]), Integer.parseInt(parts[2]))));
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "fits",
      value = {
        "MIG, 3g@4/4, 4g@0/4, fits",
        "MIG, 3g@4/4, 1g@3/1, fits",
        "MIG, 3g@4/4, 1g@6/1, slice 3g@4 of device U is in the way of 1g@6",
        "MIG, 3g@4/4, '', 'device U is divided into places, and the slice names no place'",
        "AMD_PARTITION, QPX@0/2, QPX@2/2, fits",
        "AMD_PARTITION, QPX@0/2, CPX@2/1, slice QPX@0 of device U is in the way of CPX@2",
        "CONTINUOUS, '', '', fits"
      })
  void refusesSlicesThatCannotBeSideBySide(
      Geometry geometry, String held, String wanted, String refusal) {
    SliceBook book =
        new SliceBook(
            List.of(new DeviceInfo(0, "U", "H100", 80 * GIB, geometry, IsolationLevel.HARDWARE)));
    assertThat(
            book.refusal(
                List.of(grant("1/7", held)), List.of(grant("1/7", wanted)), IsolationLevel.NONE))
        .isEqualTo(Optional.ofNullable(refusal));
  }
}
