package io.headgate.agent.driver.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelNamesTest {
  @ParameterizedTest
  @CsvSource({
    "NVIDIA H100 80GB HBM3, H100",
    "NVIDIA H100 PCIe, H100",
    "NVIDIA A100-SXM4-80GB, A100",
    "NVIDIA A10G, A10G",
    "NVIDIA H200, H200",
    "NVIDIA GH200 480GB, GH200",
    "NVIDIA L40S, L40S",
    "Tesla V100-SXM2-32GB, V100",
    "Tesla T4, T4",
    "NVIDIA GeForce RTX 4090, RTX4090",
    "NVIDIA GeForce RTX 4070 Ti SUPER, RTX4070TiSUPER",
    "NVIDIA RTX A6000, A6000",
    "NVIDIA RTX 6000 Ada Generation, RTX6000",
    "NVIDIA RTX PRO 6000 Blackwell Server Edition, RTXPRO6000",
    "Some New Thing, SomeNewThing",
    "'', unknown"
  })
  void areThoseThatPoolsUse(String name, String model) {
    assertThat(ModelNames.of(name)).isEqualTo(model);
  }
}
