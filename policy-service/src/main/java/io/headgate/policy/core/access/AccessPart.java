package io.headgate.policy.core.access;

import io.headgate.policy.core.access.AccessSpec.GroupSpec;
import io.headgate.policy.core.access.AccessSpec.PolicySpec;
import io.headgate.policy.core.access.AccessSpec.QueueSpec;
import io.headgate.policy.core.access.AccessSpec.VaultSpec;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.PolicyId;
import io.headgate.policy.core.name.QueueId;
import io.headgate.policy.core.name.VaultId;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/// One of the parts of an access configuration: what differs between groups, policies, queues and
/// vaults for whoever reads and edits them one at a time.
///
/// @param <I> the id of one
/// @param <T> one
/// @param <S> one as somebody asks for it
/// @param specId the id that is asked for; only for what was accepted
/// @param all of them, by id
/// @param find the one with an id
/// @param put decides on making or changing one; see {@link AccessEdit}
/// @param exceeding names of users that one gives the exceed-limit grant
/// @param remove decides on removing one
public record AccessPart<I extends Comparable<I>, T, S>(
    Kind kind,
    Function<T, I> id,
    Function<S, I> specId,
    Function<AccessConfiguration, List<T>> all,
    BiFunction<AccessConfiguration, I, Optional<T>> find,
    Put<S> put,
    Function<S, List<String>> exceeding,
    BiFunction<AccessConfiguration, I, AccessDecision> remove) {
  /// Decides on making or changing one.
  @FunctionalInterface
  public interface Put<S> {
    /// What comes of `spec`.
    AccessDecision decide(AccessState state, AccessEdit.Mode mode, S spec);
  }

  public static final AccessPart<GroupId, Group, GroupSpec> GROUPS =
      new AccessPart<>(
          Kind.GROUP,
          Group::id,
          spec -> new GroupId(spec.id()),
          AccessConfiguration::groups,
          AccessConfiguration::group,
          AccessEdit::put,
          _ -> List.of(),
          AccessEdit::remove);

  public static final AccessPart<PolicyId, Policy, PolicySpec> POLICIES =
      new AccessPart<>(
          Kind.POLICY,
          Policy::id,
          spec -> new PolicyId(spec.id()),
          AccessConfiguration::policies,
          AccessConfiguration::policy,
          AccessEdit::put,
          spec -> spec.rights().exceedLimit(),
          AccessEdit::remove);

  public static final AccessPart<QueueId, Queue, QueueSpec> QUEUES =
      new AccessPart<>(
          Kind.QUEUE,
          Queue::id,
          spec -> new QueueId(spec.id()),
          AccessConfiguration::queues,
          AccessConfiguration::queue,
          AccessEdit::put,
          _ -> List.of(),
          AccessEdit::remove);

  public static final AccessPart<VaultId, Vault, VaultSpec> VAULTS =
      new AccessPart<>(
          Kind.VAULT,
          Vault::id,
          spec -> new VaultId(spec.id()),
          AccessConfiguration::vaults,
          AccessConfiguration::vault,
          AccessEdit::put,
          _ -> List.of(),
          AccessEdit::remove);
}
