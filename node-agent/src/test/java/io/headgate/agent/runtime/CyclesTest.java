package io.headgate.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.driver.nvml.FakeGpus;
