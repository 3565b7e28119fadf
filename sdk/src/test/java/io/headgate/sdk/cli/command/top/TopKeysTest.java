package io.headgate.sdk.cli.command.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.cli.command.top.TopKey.Named;
import io.headgate.sdk.cli.command.top.TopKeys.Action;
import io.headgate.sdk.model.JobState;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Keys choose views, rows and orders; only a confirmed key changes something on the server.
class TopKeysTest {
  private static final TopData DATA = TopFixtures.data();

  private TopState state = TopState.FIRST;
  private Action action = new Action.None();

  private void press(TopKey key) {
    TopKeys.Step step = TopKeys.press(key, state, DATA);
    state = step.state();
    action = step.action();
  }

  private void type(String keys) {
    keys.chars().forEach(key -> press(new TopKey.Typed(key)));
  }

  @Test
  void numbersChooseTheView() {
    type("3");
    assertThat(state.view()).isEqualTo(TopView.JOBS);
    type("1");
    assertThat(state.view()).isEqualTo(TopView.POOLS);
  }

  @Test
  void arrowsAndLettersSelectRowsAndStopAtTheEnds() {
    type("2jj");
    assertThat(state.selected()).isEqualTo("platform");
    press(Named.UP);
    assertThat(state.selected()).isEqualTo("interns");
    press(Named.END);
    assertThat(state.selected()).isEqualTo("research");
    press(Named.DOWN);
    assertThat(state.selected()).isEqualTo("research");
    press(Named.HOME);
    assertThat(state.selected()).isEqualTo("ai-dev");
  }

  @Test
  void theOrderTurnsRound() {
    type("2s");
    assertThat(new TopRows(DATA, state).ids().getFirst()).as("most over").isEqualTo("ai-dev");
    type("sss");
    assertThat(state.order()).isZero();
  }

  @Test
  void aFilterIsTypedKeptAndCleared() {
    type("2/sea");
    press(Named.BACKSPACE);
    press(Named.ENTER);
    assertThat(new TopRows(DATA, state).ids()).containsExactly("research");
    press(Named.ESCAPE);
    assertThat(state.filter()).isEmpty();
  }

  @Test
  void aFilterOfJobsSelectsOnTheServer() {
    TopFilter filter = TopFilter.parse("queue=a policy=b user=c state=waiting Train");
    assertThat(filter.jobs().queues()).containsExactly("a");
    assertThat(filter.jobs().policies()).containsExactly("b");
    assertThat(filter.jobs().users()).containsExactly("c");
    assertThat(filter.jobs().states()).containsExactly(JobState.WAITING);
    assertThat(filter.admits("train-7")).isTrue();
    assertThat(filter.admits("big-1")).isFalse();
    assertThat(TopFilter.parse("state=nonsense").words()).isEqualTo(List.of("state=nonsense"));
  }

  @Test
  void aJobIsCancelledOnlyAfterYes() {
    type("3c");
    assertThat(state.dialog()).isEqualTo(new TopDialog.Cancel("train-4"));
    type("n");
    assertThat(action).isEqualTo(new Action.None());
    assertThat(state.note()).isEqualTo("train-4 is not cancelled");
    type("jcy");
    assertThat(action).isEqualTo(new Action.Cancel("big-1"));
  }

  @Test
  void onlyJobsAreExplainedAndCancelled() {
    type("e");
    assertThat(action).isEqualTo(new Action.None());
    assertThat(state.note()).contains("select a job");
    type("3e");
    assertThat(action).isEqualTo(new Action.Explain("train-4"));
  }

  @Test
  void aTextScrollsAndAnyOtherKeyLeavesIt() {
    state = state.with(new TopDialog.Text("explain", List.of("1", "2", "3"), 0));
    type("jjjj");
    assertThat(((TopDialog.Text) state.dialog()).first()).isEqualTo(2);
    type("x");
    assertThat(state.dialog()).isEqualTo(new TopDialog.None());
  }

  @Test
  void qQuitsButIsALetterOfAFilter() {
    type("/q");
    assertThat(state.dialog()).isEqualTo(new TopDialog.Filter("q"));
    press(Named.ESCAPE);
    type("q");
    assertThat(action).isEqualTo(new Action.Quit());
  }
}
