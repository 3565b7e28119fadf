package io.headgate.sdk.cli.command.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import io.headgate.proto.scheduler.v1.UsageInterval;
import io.headgate.sdk.cli.command.timeline.Timeline.Device;
import io.headgate.sdk.cli.command.timeline.TrackCells.Cell;
import io.headgate.sdk.cli.output.Symbols;
import io.headgate.sdk.cli.output.TextColors;
import io.headgate.type.GpuQuantity;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

/// The tracks, cells and drawings of a period of ten minutes.
class TimelineTest {
  private static final Instant BEGIN = Instant.parse("2026-11-21T13:00:00Z");
  private static final Instant END = Instant.parse("2026-11-21T13:10:00Z");
  private static final Axis MINUTES = new Axis(BEGIN, END, 10, ZoneOffset.UTC);

  private static UsageInterval.Builder interval(
      String job, int device, String quantity, int from, int until) {
    return UsageInterval.newBuilder()
        .setStartTime(time(from))
        .setEndTime(time(until))
        .setPool("p")
        .setNode("n")
        .setDevice(device)
        .setQuantity(quantity)
        .setJob(job)
        .setAttempt(1)
        .setUser("u")
        .setPolicy("a")
        .setEntitled(quantity)
        .setOverReservation("0")
        .setAboveLimit("0");
  }

  /// @param seconds after the begin
  private static Timestamp time(int seconds) {
    return Timestamp.newBuilder().setSeconds(BEGIN.getEpochSecond() + seconds).build();
  }

  private static Timeline timeline(List<UsageInterval> intervals, Device... devices) {
    return Timeline.of(BEGIN, END, intervals, List.of(devices), true);
  }

  private static List<String> rows(Timeline timeline) {
    return timeline.tracks().stream()
        .map(track ->
            track.place().device()
                + " "
                + track.slice()
                + " "
                + TrackCells.of(
                        track,
                        timeline.tracks().stream().filter(track::isOn).toList(),
                        timeline,
                        MINUTES)
                    .stream()
                    .map(Cell::mark)
                    .map(mark -> mark.sign(Symbols.ASCII))
                    .collect(Collectors.joining()))
        .toList();
  }

  @Test
  void intervalsOfOneAttemptAreOneBar() {
    List<Bar> bars =
        Bars.of(
            List.of(
                interval("a", 0, "1", 0, 120).build(),
                interval("a", 0, "1", 120, 240).setOverReservation("1").build(),
                interval("a", 0, "1", 240, 300).setAttempt(2).build(),
                interval("a", 0, "1", 301, 400).setAttempt(2).build()),
            END);

    assertThat(bars).hasSize(3);
    assertThat(bars.getFirst().parts())
        .extracting(Bar.Part::mark)
        .containsExactly(Mark.ENTITLED, Mark.OVER);
  }

  @Test
  void twoEqualSlicesOfAJobOnOneDeviceAreTwoBarsThatGoOn() {
    List<Bar> bars =
        Bars.of(
            List.of(
                interval("a", 0, "1/2", 0, 60).build(),
                interval("a", 0, "1/2", 0, 60).build(),
                interval("a", 0, "1/2", 60, 120).build(),
                interval("a", 0, "1/2", 60, 120).build()),
            END);

    assertThat(bars).hasSize(2).allMatch(bar -> bar.parts().size() == 2);
    assertThat(timeline(List.of(interval("a", 0, "1/2", 0, 60).build())).tracks()).hasSize(1);
  }

  @Test
  void barsOfOthersAreNotJoined() {
    UsageInterval others =
        interval("", 0, "1", 0, 60).clearPolicy().clearUser().clearAttempt().build();

    assertThat(
            Bars.of(
                List.of(
                    others, others.toBuilder().setStartTime(time(60)).setEndTime(time(90)).build()),
                END))
        .as("it is not known whether they are one job")
        .hasSize(2)
        .allMatch(bar -> bar.holder().label().isEmpty());
  }

  @Test
  void whatLastsEndsNowAndStopsFromItsOrderOn() {
    UsageInterval stopping =
        interval("a", 0, "1", 0, 0).clearEndTime().setStoppingTime(time(300)).build();

    assertThat(rows(timeline(List.of(stopping)))).containsExactly("0 1 #####=====");
    assertThat(rows(timeline(List.of(stopping.toBuilder().setStoppingTime(time(-5)).build()))))
        .containsExactly("0 1 ==========");
  }

  @Test
  void aTrackIsFreeOnlyWhereTheDeviceHasRoomForIt() {
    assertThat(
            rows(
                timeline(
                    List.of(
                        interval("whole", 0, "1", 0, 120).build(),
                        interval("half", 0, "1/2", 120, 360).build(),
                        interval("other", 0, "1/2", 240, 480).build()),
                    new Device("p", "n", 0),
                    new Device("p", "n", 1))))
        .containsExactly(
            "0 1 ##      ..", "0 1/2   ####....", "0 1/2   ..####..", "1 - ..........");
  }

  private static UsageInterval down(int device, String quantity, int from, int until) {
    return UsageInterval.newBuilder()
        .setDown(true)
        .setStartTime(time(from))
        .setEndTime(time(until))
        .setPool("p")
        .setNode("n")
        .setDevice(device)
        .setQuantity(quantity)
        .build();
  }

  @Test
  void aDeviceThatWasDownIsNotFree() {
    List<UsageInterval> intervals =
        List.of(
            interval("whole", 0, "1", 0, 120).build(),
            down(0, "1", 120, 180),
            interval("half", 0, "1/2", 200, 360).build(),
            down(0, "1/2", 240, 360),
            down(0, "1", 360, 421),
            down(1, "1", 0, 59),
            down(2, "1", 300, 301),
            down(2, "1", 302, 303));

    assertThat(rows(timeline(intervals, new Device("p", "n", 3))))
        .containsExactly(
            "0 1 ##!.  !!..",
            "0 1/2   !###!!..",
            "1 - !.........",
            "2 - .....!....",
            "3 - ..........");
    assertThat(rows(Timeline.of(BEGIN, END, intervals, List.of(new Device("p", "n", 3)), false)))
        .as("the rest is not known")
        .contains("0 1 ##!   !!  ", "2 -      !    ");
  }

  @Test
  void whatIsDownGoesOnThroughItsIntervals() {
    List<UsageInterval> intervals =
        List.of(
            down(0, "1", 0, 60),
            down(0, "1", 60, 120),
            down(0, "1/2", 120, 180),
            down(0, "1/2", 180, 190).toBuilder().clearEndTime().build());

    assertThat(Down.of(intervals, END).get(new Device("p", "n", 0)))
        .containsExactly(
            new Down(BEGIN, BEGIN.plusSeconds(120), GpuQuantity.ONE, false),
            new Down(BEGIN.plusSeconds(120), END, GpuQuantity.parse("1/2"), true));
  }

  @Test
  void devicesThatWereDownStayLongerThanFreeOnes() {
    Timeline all =
        timeline(List.of(down(0, "1", 0, 60)), new Device("p", "m", 0), new Device("p", "o", 0));

    assertThat(all.limited(1).tracks())
        .extracting(track -> track.place().node())
        .containsExactly("n");
    assertThat(all.limited(1).left()).isEqualTo(new Timeline.Left(0, 2));
  }

  @Test
  void aShortJobIsSeenAndTheLongestOfACellWins() {
    assertThat(
            rows(
                timeline(
                    List.of(
                        interval("short", 0, "1", 61, 62).build(),
                        interval("brief", 0, "1", 300, 310).build(),
                        interval("long", 0, "1", 310, 360).setAboveLimit("1").build()))))
        .containsExactly("0 1 .#...^....");
  }

  @Test
  void withAFilterTheRestIsNotCalledFree() {
    Timeline timeline =
        Timeline.of(
            BEGIN,
            END,
            List.of(interval("a", 0, "1", 60, 120).build()),
            List.of(new Device("p", "n", 1)),
            false);

    assertThat(rows(timeline)).containsExactly("0 1  #        ");
  }

  @Test
  void tooManyTracksLoseTheFreeDevicesFirst() {
    List<UsageInterval> intervals = new ArrayList<>();
    for (int device = 0; device < 5; device++) {
      intervals.add(interval("j" + device, device, "1", 0, 60).build());
    }
    Timeline all = timeline(intervals, new Device("p", "m", 0), new Device("p", "m", 1));

    assertThat(all.limited(7)).isEqualTo(all);
    assertThat(all.limited(5).tracks()).hasSize(5).noneMatch(Track::isFree);
    assertThat(all.limited(5).left()).isEqualTo(new Timeline.Left(0, 2));
    assertThat(all.limited(3).left()).isEqualTo(new Timeline.Left(2, 2));
    assertThat(text(80).lines(all.limited(3)))
        .last()
        .isEqualTo(
            "not shown: 2 more rows and 2 free devices; narrow with --pool, --node, --policy or --job");
  }

  private static TimelineText text(int width) {
    return new TimelineText(new TextColors(false), Symbols.ASCII, ZoneOffset.UTC, width);
  }

  @Test
  void linesFitTheWidthAndNamesThatDoNotFitGetKeys() {
    List<UsageInterval> intervals = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      intervals.add(interval("a-job-with-a-long-name-" + i, i, "1", i, i + 60).build());
    }
    for (int width : List.of(80, 200)) {
      List<String> lines = text(width).lines(timeline(intervals));
      assertThat(lines).allMatch(line -> line.length() <= width, "at most " + width);
      assertThat(lines)
          .anyMatch(line -> line.startsWith("a a-job-with-a-long-name-0  "))
          .last()
          .asString()
          .startsWith("8 jobs are too short for a name here");
    }
  }

  @Test
  void ticksAreRoundTimesOfTheZone() {
    ZoneId delhi = ZoneId.of("Asia/Kolkata");

    assertThat(new Axis(BEGIN, END, 60, delhi).ticks(12))
        .extracting(Axis.Tick::text)
        .containsExactly("18:30", "18:32", "18:34", "18:36", "18:38");
    assertThat(
            new Axis(
                    Instant.parse("2026-11-20T22:30:00Z"),
                    Instant.parse("2026-11-21T22:30:00Z"),
                    60,
                    ZoneOffset.UTC)
                .ticks(10))
        .extracting(Axis.Tick::text)
        .containsExactly("Nov 21", "06:00", "12:00", "18:00");
    assertThat(new Axis(BEGIN, BEGIN.plusSeconds(86_400 * 31), 60, ZoneOffset.UTC).ticks(10).size())
        .isBetween(4, 6);
    assertThat(new Axis(BEGIN, BEGIN.plusMillis(1), 60, ZoneOffset.UTC).ticks(10)).hasSize(1);
    assertThat(new Axis(BEGIN, END, 60, delhi).period())
        .isEqualTo("2026-11-21 18:30 to 18:40 +05:30");
  }

  @Test
  void thePictureIsXmlWhateverNamesAre() throws Exception {
    String nasty = "<script>alert(1)</script>&\"'\u0000\u001b[31m\u202e\ufffe\ud83d\ude00";
    Timeline timeline =
        timeline(
            List.of(
                interval(nasty, 0, "1", 0, 600).setUser(nasty).setPolicy(nasty).build(),
                interval("b", 1, "1", 0, 600).setPolicy("a b").setNode(nasty).build()));

    String svg = new TimelineSvg(ZoneOffset.UTC).draw(timeline, nasty);

    Document document =
        DocumentBuilderFactory.newNSInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    assertThat(document.getElementsByTagName("script").getLength()).isZero();
    assertThat(document.getElementsByTagName("g").getLength()).isEqualTo(2);
    assertThat(document.getElementsByTagName("g").item(1).getFirstChild().getTextContent())
        .contains("<script>alert(1)</script>&\"'[31m\ud83d\ude00, attempt 1")
        .contains("2026-11-21 13:00:00 to 2026-11-21 13:10:00: entitled");
  }
}
