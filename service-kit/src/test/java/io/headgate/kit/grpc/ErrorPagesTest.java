package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.stream.ClosedStreamException;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// Failures before a call has begun: the reported side of the fault, and the log's entry.
class ErrorPagesTest {
  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(ErrorPages.class);

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final ServiceRequestContext context =
      ServiceRequestContext.of(HttpRequest.of(HttpMethod.POST, "/v1/books"));

  @BeforeEach
  void listen() {
    log.start();
    LOGGER.addAppender(log);
  }

  @AfterEach
  void stop() {
    LOGGER.detachAppender(log);
  }

  private AggregatedHttpResponse answerTo(Throwable failure) {
    return Objects.requireNonNull(new ErrorPages().onServiceException(context, failure))
        .aggregate()
        .join();
  }

  @Test
  void aCallerWhoWentAwayIsNoFailureOfTheServer() {
    assertThat(answerTo(new ClosedStreamException("reset")).status().code()).isEqualTo(499);
    assertThat(log.list).isEmpty();
  }

  @Test
  void whatNobodyForesawIsAFailureOfTheServer() {
    assertThat(answerTo(new IllegalStateException("unforeseen")).status().code()).isEqualTo(500);
    assertThat(log.list)
        .singleElement()
        .satisfies(event -> assertThat(event.getFormattedMessage()).isEqualTo("/v1/books failed"));
  }
}
