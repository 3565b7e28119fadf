/// The Java client: blocking, records in and out.
///
/// ```java
/// var config = ClientConfig.of(
///     ServerAddress.parse("https://gate.acme.example:7400"), new Credentials.Key(secret));
/// try (var client = HeadgateClient.connect(config)) {
///   var jobs = client.jobs("acme");
///   var job = jobs.submit(Submission.of(JobSpec.of("ai-dev-half", List.of("python", "train.py"))));
///   jobs.await(job.id(), it -> it.state().isFinal(), Duration.ofHours(1));
/// }
/// ```
@NullMarked
package io.headgate.sdk.client;

import org.jspecify.annotations.NullMarked;
