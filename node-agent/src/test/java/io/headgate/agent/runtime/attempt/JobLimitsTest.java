package io.headgate.agent.runtime.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.process.DiskQuota.Space;
import io.headgate.agent.runtime.attempt.JobLimits.Capacity;
import io.headgate.agent.runtime.attempt.JobLimits.Granted;
import io.headgate.type.GpuQuantity;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The limits of jobs: what they request, what the configuration says, and their share.
class JobLimitsTest {
  private static final long GIB = 1L << 30;
  private static final JobLimits UNSHARED = new JobLimits(8192, 65_536, 0, 0, 0, Optional.empty());
  private static final JobLimits SHARED = UNSHARED.on(new Capacity(8, 128_000, 1000 * GIB, 24_576));

  private static long gpus(String quantity) {
    return GpuQuantity.parse(quantity).units();
  }

  @Test
  void aJobThatRequestsNothingHasThePartOfTheMachineThatItsGpusAre() {
    assertThat(SHARED.of(gpus("2"), 0, 0)).isEqualTo(new Granted(32_000, 225 * GIB, 6144));
    assertThat(SHARED.of(gpus("1/2"), 0, 0)).isEqualTo(new Granted(8000, 56 * GIB + GIB / 4, 1536));
    assertThat(SHARED.of(gpus("8"), 0, 0).memoryBytes())
        .as("a tenth is left for the system")
        .isEqualTo(900 * GIB);
    assertThat(SHARED.of(gpus("8"), 0, 0).processes())
        .as("never more than configured")
        .isEqualTo(8192);
  }

  @Test
  void allJobsOfAFullMachineFitIntoIt() {
    for (String part : new String[] {"1", "1/2", "1/7", "1/3"}) {
      long jobs = 8 * GpuQuantity.UNITS_PER_GPU / gpus(part);
      Granted each = SHARED.of(gpus(part), 0, 0);
      assertThat(each.memoryBytes() * jobs).as(part).isLessThanOrEqualTo(900 * GIB);
      assertThat(each.cpuMillis() * jobs).as(part).isLessThanOrEqualTo(128_000);
      assertThat(each.processes() * jobs).as(part).isLessThanOrEqualTo(24_576);
    }
  }

  @Test
  void aJobWithoutGpuHasTheShareOfOneAndAtMostAQuarter() {
    assertThat(SHARED.of(0, 0, 0)).isEqualTo(SHARED.of(gpus("1"), 0, 0));
    JobLimits small = UNSHARED.on(new Capacity(0, 8000, 100 * GIB, 24_576));
    assertThat(small.of(0, 0, 0)).isEqualTo(new Granted(2000, 22 * GIB + GIB / 2, 6144));
  }

  @Test
  void requestsCountFirstThenTheConfigurationThenTheShare() {
    assertThat(SHARED.of(gpus("1"), 500, GIB)).isEqualTo(new Granted(500, GIB, 3072));
    JobLimits configured =
        new JobLimits(100, 65_536, 3000, 2 * GIB, 7 * GIB, Optional.empty())
            .on(new Capacity(8, 128_000, 1000 * GIB, 24_576));
    assertThat(configured.of(gpus("1"), 0, 0)).isEqualTo(new Granted(3000, 2 * GIB, 100));
    assertThat(UNSHARED.of(gpus("1"), 0, 0)).isEqualTo(new Granted(0, 0, 8192));
  }

  @Test
  void theDiskIsDividedAsTheMemoryIs() {
    Space room = new Space(1000 * GIB, 80_000_000);
    assertThat(SHARED.disk(gpus("2"), room)).contains(new Space(225 * GIB, 18_000_000));
    assertThat(SHARED.disk(0, room)).isEqualTo(SHARED.disk(gpus("1"), room));
    JobLimits configured = new JobLimits(8192, 65_536, 0, 0, 7 * GIB, Optional.empty());
    assertThat(configured.on(new Capacity(8, 128_000, 1000 * GIB, 24_576)).disk(gpus("2"), room))
        .contains(new Space(7 * GIB, 18_000_000));
    assertThat(UNSHARED.disk(gpus("2"), room)).isEmpty();
    assertThat(SHARED.disk(gpus("1"), new Space(0, 0)))
        .as("a job starts on a full disk, too")
        .contains(new Space(64L << 20, 1000));
  }

  @Test
  void noShareIsTooSmallToStart() {
    JobLimits tiny = UNSHARED.on(new Capacity(64, 2000, 4 * GIB, 1000));
    assertThat(tiny.of(gpus("1/16"), 0, 0)).isEqualTo(new Granted(1000, 256L << 20, 256));
  }
}
