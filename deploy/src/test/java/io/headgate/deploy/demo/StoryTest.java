package io.headgate.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.model.Event;
import io.headgate.sdk.model.Event.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StoryTest {
  private final Story story = new Story("onprem");
  private final List<String> told = new ArrayList<>();

  @Test
  void tellsStartsInTheOrderOfTheDecisions() {
    happens(Type.ASSIGNED, "train-1", "onprem");
    happens(Type.ASSIGNED, "train-2", "onprem");
    happens(Type.ASSIGNED, "train-3", "cloud");
    happens(Type.STARTED, "train-3", "cloud");
    assertThat(told).as("who fills the pool is not told yet").isEmpty();
    happens(Type.STARTED, "train-2", "onprem");
    happens(Type.STARTED, "train-1", "onprem");

    assertThat(told)
        .containsExactly(
            "train-1    runs on node in onprem",
            "train-2    runs on node in onprem",
            "train-3    runs on node in cloud, because onprem is full");
    assertThat(story.overflowedJobs()).containsExactly("train-3");
  }

  @Test
  void keepsNothingBackOfAJobToWhichMoreHappens() {
    happens(Type.ASSIGNED, "train-1", "onprem");
    happens(Type.ASSIGNED, "train-2", "onprem");
    happens(Type.STARTED, "train-2", "onprem");
    happens(Type.FINISHED, "train-2", "onprem");

    assertThat(told).containsExactly("train-2    runs on node in onprem", "train-2    is done");
  }

  @Test
  void waitsForNobodyWhoWillNotStart() {
    happens(Type.ASSIGNED, "train-1", "onprem");
    happens(Type.ASSIGNED, "train-2", "onprem");
    happens(Type.STARTED, "train-2", "onprem");
    assertThat(told).isEmpty();
    happens(Type.QUEUED, "train-1", "");

    assertThat(told).containsExactly("train-2    runs on node in onprem");
  }

  @Test
  void tellsAStartWhoseDecisionItDidNotHear() {
    happens(Type.STARTED, "train-1", "onprem");

    assertThat(told).containsExactly("train-1    runs on node in onprem");
  }

  private void happens(Type type, String job, String pool) {
    Event event =
        new Event(
            0,
            null,
            type,
            job,
            1,
            "queue",
            "policy",
            pool,
            List.of(),
            "node",
            null,
            "",
            type == Type.FINISHED ? Map.of("state", "DONE") : Map.of());
    told.addAll(story.tell(event));
  }
}
