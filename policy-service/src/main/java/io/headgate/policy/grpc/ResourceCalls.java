package io.headgate.policy.grpc;

import com.google.protobuf.Empty;
import com.google.protobuf.FieldMask;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.grpc.FieldMasks;
import io.headgate.kit.grpc.MessageRules;
import io.headgate.kit.grpc.Pages;
import io.headgate.kit.grpc.Pages.Page;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.grpc.Names.Child;
import io.headgate.policy.runtime.TenantResources;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

/// The five standard methods on one kind of tenant resource, shared by the endpoints of users,
/// service accounts, groups, policies, queues and vaults.
///
/// @param <I> id of a resource
/// @param <T> resource
/// @param <S> resource as a request describes it
/// @param <M> message of the resource
final class ResourceCalls<I, T, S, M extends Message> {
  private final TenantResources<I, T, S> resources;
  private final Form<I, T, S, M> form;
  private final Tools tools;

  /// The collaborators of all endpoints.
  record Tools(Answers answers, Pages pages, MessageRules rules) {}

  /// The messages of one kind.
  ///
  /// @param collection in resource names: `serviceAccounts`
  /// @param field of requests that holds the resource: `service_account`
  /// @param writable fields that an update may change
  /// @param toSpec reads the description from a message and an id
  /// @param resolveConflicts unsets fields of a merged message that contradict the updated fields,
  ///   whose names it gets
  record Form<I, T, S, M extends Message>(
      String collection,
      String field,
      List<String> writable,
      Function<String, I> toId,
      Function<T, I> id,
      BiFunction<TenantId, T, M> toProto,
      BiFunction<String, M, S> toSpec,
      BiFunction<M, Set<String>, M> resolveConflicts,
      Parser<M> parser) {}

  /// A request for one page.
  record ListRequest(String parent, int pageSize, String pageToken) {}

  ResourceCalls(TenantResources<I, T, S> resources, Form<I, T, S, M> form, Tools tools) {
    this.resources = resources;
    this.form = form;
    this.tools = tools;
  }

  /// @param answer made of the items and the token of the next page
  <A> void list(StreamObserver<A> out, ListRequest request, BiFunction<List<M>, String, A> answer) {
    tools
        .answers()
        .read(
            out,
            origin -> {
              TenantId tenant = Names.tenant("parent", request.parent());
              Page<T> page =
                  tools
                      .pages()
                      .read(
                          new Pages.Request(
                              List.of(form.collection(), tenant.value()),
                              request.pageSize(),
                              request.pageToken()),
                          (after, limit) ->
                              resources.list(
                                  origin.required(), tenant, after.map(form.toId()), limit),
                          item -> form.id().apply(item).toString());
              List<M> items =
                  page.items().stream().map(item -> form.toProto().apply(tenant, item)).toList();
              return answer.apply(items, page.nextToken());
            });
  }

  void get(StreamObserver<M> out, String name) {
    tools
        .answers()
        .read(
            out,
            origin -> {
              Child<I> child = child("name", name);
              return form.toProto()
                  .apply(
                      child.tenant(), resources.get(origin.required(), child.tenant(), child.id()));
            });
  }

  /// A request to create a resource.
  ///
  /// @param parent `tenants/acme`
  /// @param id last part of the name
  record Creation<M>(String parent, String id, M wanted) {}

  /// @param request the whole request, which identifies its repetitions
  void create(StreamObserver<M> out, Message request, Creation<M> creation) {
    tools
        .answers()
        .change(
            out,
            creation.parent() + "/" + form.collection() + "/" + creation.id(),
            origin -> {
              TenantId tenant = Names.tenant("parent", creation.parent());
              return resources.create(
                  origin,
                  IdempotentRequests.of(
                      request, made -> form.toProto().apply(tenant, made), form.parser()),
                  tenant,
                  form.toSpec().apply(creation.id(), creation.wanted()));
            });
  }

  /// A request to update a resource.
  ///
  /// @param name of the resource, as in `wanted`
  record Update<M>(String name, M wanted, FieldMask mask) {}

  void update(StreamObserver<M> out, Update<M> update) {
    tools
        .answers()
        .change(
            out,
            update.name(),
            origin -> {
              Child<I> child = child(form.field() + ".name", update.name());
              TenantId tenant = child.tenant();
              Set<String> fields =
                  FieldMasks.paths(update.mask(), update.wanted(), form.writable());
              T after =
                  resources.update(
                      origin,
                      tenant,
                      child.id(),
                      current -> {
                        M before = form.toProto().apply(tenant, current);
                        M next =
                            form.resolveConflicts()
                                .apply(FieldMasks.merge(before, update.wanted(), fields), fields);
                        tools.rules().require(form.field(), next);
                        return form.toSpec().apply(child.id().toString(), next);
                      });
              return form.toProto().apply(tenant, after);
            });
  }

  void delete(StreamObserver<Empty> out, String name) {
    tools
        .answers()
        .change(
            out,
            name,
            origin -> {
              Child<I> child = child("name", name);
              resources.delete(origin, child.tenant(), child.id());
              return Empty.getDefaultInstance();
            });
  }

  private Child<I> child(String field, String name) {
    return Names.child(field, name, form.collection(), form.toId());
  }
}
