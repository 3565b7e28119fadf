package io.headgate.deploy.demo;

import io.headgate.deploy.node.NodePlan;
import io.headgate.sdk.client.EventWatcher;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.client.LogOptions;
import io.headgate.sdk.client.LogStream;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.ConfigurationException;
import io.headgate.sdk.config.ConfigurationReader;
import io.headgate.sdk.model.Event;
import io.headgate.sdk.model.EventFilter;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobSpec.AbortCallback;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.LogPiece;
import io.headgate.sdk.model.Submission;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Acts out the demo. Two teams submit a small training program. One team overflows to the cloud,
/// the other claims its reservation, and the stopped jobs resume. Every printed fact is read back
/// from the system.
public final class Demo {
  /// The tenant of the demo.
  public static final String TENANT = "acme";

  private static final String FIRST_POOL = "onprem-rtx6000";
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Pattern RESUMED = Pattern.compile("resumed from epoch (\\d+)");
  private static final List<JobState> UNFINISHED =
      List.of(JobState.WAITING, JobState.ASSIGNED, JobState.RUNNING, JobState.STOPPING);

  /// About ten seconds: the trainings must still run when the research team arrives, even on a slow
  /// disk.
  private static final int TRAIN_EPOCHS = 40;

  private static final int RESEARCH_EPOCHS = 12;
  private static final String EPOCH_SECONDS = "0.25";

  private final HeadgateClient operator;
  private final JobClient adasJobs;
  private final JobClient alansJobs;
  private final Path directory;
  private final Consumer<String> out;
  private final Story story = new Story(FIRST_POOL);
  private final Object telling = new Object();
  private final Map<String, String> resumedAt = new ConcurrentHashMap<>();
  private final Map<String, CountDownLatch> resumeTold = new ConcurrentHashMap<>();
  private final long beganNanos;

  /// @param operator a connection with all rights
  /// @param ada a connection as ada of the AI development team
  /// @param alan a connection as alan of the research team
  /// @param directory for the demo's program and data set
  /// @param out takes the lines of the story
  public Demo(
      HeadgateClient operator,
      HeadgateClient ada,
      HeadgateClient alan,
      Path directory,
      Consumer<String> out) {
    this.operator = operator;
    this.adasJobs = ada.jobs(TENANT);
    this.alansJobs = alan.jobs(TENANT);
    this.directory = directory;
    this.out = out;
    this.beganNanos = System.nanoTime();
  }

  /// The demo's machines: an own one and a rented one, each with one simulated GPU.
  public static List<NodePlan> nodes() {
    return List.of(
        new NodePlan("onprem-0", FIRST_POOL, "1xRTX6000-48GiB"),
        new NodePlan("cloud-0", "cloud-burst", "1xA100-80GiB"));
  }

  /// The demo's configuration file.
  public static Configuration configuration() throws IOException {
    try (InputStream source = Objects.requireNonNull(Demo.class.getResourceAsStream("demo.yaml"))) {
      return ConfigurationReader.read(
              "demo.yaml", new String(source.readAllBytes(), StandardCharsets.UTF_8))
          .configuration();
    } catch (ConfigurationException e) {
      throw new IllegalStateException("the configuration of the demo has mistakes: " + e, e);
    }
  }

  /// Plays the demo to its end.
  ///
  /// @return differences from the expected story; empty when all went as expected
  public List<String> play() throws IOException, InterruptedException {
    DemoFiles files = DemoFiles.writeTo(directory);
    JobClient all = operator.jobs(TENANT);
    List<Job> leftOver = all.listAll(JobFilter.ALL.withStates(UNFINISHED));
    Thread teller;
    List<String> wrong;
    try (EventWatcher events = all.watchEvents(latestVersion(all))) {
      teller = Thread.ofVirtual().name("demo-teller").start(() -> follow(events));
      if (!leftOver.isEmpty()) {
        heading(
            leftOver.size()
                + " jobs of an earlier run continue; the demo begins when they have ended");
        awaitAll(all, leftOver, job -> job.state().isFinal());
      }
      wrong = act(files);
    }
    teller.join(Duration.ofSeconds(5));
    return wrong;
  }

  private List<String> act(DemoFiles files) throws InterruptedException {
    heading("ada of ai-dev (reservation 1, limit 2) submits four half-GPU trainings and a fifth");
    List<Job> trainings = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      trainings.add(adasJobs.submit(training("train", "ai-dev-half", files, TRAIN_EPOCHS)));
    }
    awaitAll(
        adasJobs,
        trainings.subList(0, 4),
        job -> job.state() == JobState.RUNNING || job.state().isFinal());

    heading(
        "alan of research (reservation 1) submits two: research is entitled, ai-dev is above its"
            + " reservation");
    List<Job> research = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      research.add(alansJobs.submit(training("study", "research-half", files, RESEARCH_EPOCHS)));
    }
    List<Job> ended = new ArrayList<>(awaitAll(alansJobs, research, job -> job.state().isFinal()));
    ended.addAll(awaitAll(adasJobs, trainings, job -> job.state().isFinal()));
    Set<String> preempted;
    synchronized (telling) {
      preempted = story.preemptedJobs();
    }
    for (String job : preempted) {
      resumeTold.computeIfAbsent(job, _ -> new CountDownLatch(1)).await(60, TimeUnit.SECONDS);
    }
    return judge(ended);
  }

  private List<String> judge(List<Job> ended) {
    List<String> wrong = new ArrayList<>();
    for (Job job : ended) {
      if (job.state() != JobState.DONE) {
        wrong.add(job.id() + " ended as " + job.state() + ", not DONE");
      }
    }
    synchronized (telling) {
      if (story.overflowedJobs().isEmpty()) {
        wrong.add("no job overflowed to another pool than " + FIRST_POOL);
      }
      if (story.preemptedJobs().isEmpty()) {
        wrong.add("research preempted no job");
      }
      for (String job : story.preemptedJobs()) {
        if (!resumedAt.containsKey(job)) {
          wrong.add(job + " was preempted and did not resume from a checkpoint");
        }
      }
      if (wrong.isEmpty()) {
        heading(
            "The end: %d jobs done, %d overflowed to the cloud, %d preempted and resumed (%s); no work lost"
                .formatted(
                    ended.size(),
                    story.overflowedJobs().size(),
                    story.preemptedJobs().size(),
                    resumeSummary()));
      }
    }
    return wrong;
  }

  private String resumeSummary() {
    StringBuilder text = new StringBuilder();
    new TreeMap<>(resumedAt)
        .forEach((job, epoch) ->
            text.append(text.isEmpty() ? "" : ", ").append(job).append(" at epoch ").append(epoch));
    return text.toString();
  }

  private static Submission training(String prefix, String queue, DemoFiles files, int epochs) {
    String program = files.program().toString();
    return Submission.named(
        prefix,
        JobSpec.of(
                queue,
                List.of(
                    "python3",
                    program,
                    "run",
                    "--data",
                    files.dataSet().toString(),
                    "--epochs",
                    Integer.toString(epochs),
                    "--epoch-seconds",
                    EPOCH_SECONDS))
            .withAbortCallback(
                new AbortCallback(
                    List.of("python3", program, "checkpoint"), Duration.ofSeconds(60))));
  }

  private void follow(EventWatcher events) {
    for (List<Event> step = events.next(); step != null; step = events.next()) {
      for (Event event : step) {
        synchronized (telling) {
          story.tell(event).forEach(this::say);
        }
        if (event.type() == Event.Type.STARTED && event.attempt() > 1) {
          Thread.ofVirtual().name("demo-log").start(() -> tellResume(event.job(), event.attempt()));
        }
      }
    }
  }

  private void tellResume(String job, int attempt) {
    LogOptions options = LogOptions.ALL.withAttempt(attempt).withFollow(true);
    StringBuilder text = new StringBuilder();
    try (LogStream log = operator.jobs(TENANT).logs(job, options)) {
      for (LogPiece piece = log.next(); piece != null; piece = log.next()) {
        text.append(new String(piece.data(), StandardCharsets.UTF_8));
        Matcher resumed = RESUMED.matcher(text);
        if (resumed.find() && text.indexOf("\n", resumed.end()) >= 0) {
          synchronized (telling) {
            resumedAt.put(job, resumed.group(1));
            say(story.resumed(job, resumed.group(1)));
          }
          break;
        }
      }
    } catch (HeadgateException e) {
      say(job + ": its log cannot be read: " + e.getMessage());
    } finally {
      resumeTold.computeIfAbsent(job, _ -> new CountDownLatch(1)).countDown();
    }
  }

  private static long latestVersion(JobClient jobs) {
    return jobs.events(EventFilter.ALL, 1, "").items().stream()
        .mapToLong(Event::version)
        .max()
        .orElse(0);
  }

  private static List<Job> awaitAll(JobClient jobs, List<Job> waited, Predicate<Job> condition) {
    List<Job> reached = new ArrayList<>();
    for (Job job : waited) {
      Optional<Job> found = jobs.await(job.id(), condition, PATIENCE);
      reached.add(
          found.orElseThrow(() ->
              new IllegalStateException(
                  job.id()
                      + " did not reach the expected state within "
                      + PATIENCE.toMinutes()
                      + " minutes: "
                      + jobs.explain(job.id()).verdict())));
    }
    return reached;
  }

  private void heading(String text) {
    synchronized (telling) {
      out.accept("");
      out.accept(text);
    }
  }

  private void say(String line) {
    synchronized (telling) {
      out.accept(Story.margin(Duration.ofNanos(System.nanoTime() - beganNanos)) + "  " + line);
    }
  }
}
