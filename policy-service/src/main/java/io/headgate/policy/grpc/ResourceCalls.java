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

/// The five standard methods on one kind of thing that tenants have: what the endpoints of users,
/// service accounts, groups, policies and queues do alike.
///
/// @param <I> the id of one
/// @param <T> one
/// @param <S> one as somebody asks for it
/// @param <M> one on the wire
final class ResourceCalls<I, T, S, M extends Message> {
  private final TenantResources<I, T, S> resources;
  private final Form<I, T, S, M> form;
  private final Tools tools;

  /// What all endpoints share.
  record Tools(Answers answers, Pages pages, MessageRules rules) {}

  /// What one kind looks like on the wire.
  ///
  /// @param collection in resource names: `serviceAccounts`
  /// @param field of requests that holds one: `service_account`
  /// @param writable fields that an update may change
  /// @param toSpec what a message with an id asks for
  /// @param settled what an update of these fields makes of the others
  record Form<I, T, S, M extends Message>(
      String collection,
      String field,
      List<String> writable,
      Function<String, I> toId,
      Function<T, I> id,
      BiFunction<TenantId, T, M> toProto,
      BiFunction<String, M, S> toSpec,
      BiFunction<M, Set<String>, M> settled,
      Parser<M> parser) {}

  /// Which page is asked for.
  record ListRequest(String parent, int pageSize, String pageToken) {}

  ResourceCalls(TenantResources<I, T, S> resources, Form<I, T, S, M> form, Tools tools) {
    this.resources = resources;
    this.form = form;
    this.tools = tools;
  }

  /// @param answer of the items and the token of the page after
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
                          (after, limit) -> resources.list(tenant, after.map(form.toId()), limit),
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
                  .apply(child.tenant(), resources.get(child.tenant(), child.id()));
            });
  }

  /// Makes one.
  ///
  /// @param parent `tenants/acme`
  /// @param id last part of the name
  record Creation<M>(String parent, String id, M wanted) {}

  /// @param request the whole request, by which a repeated one is known
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
                  Onces.of(request, made -> form.toProto().apply(tenant, made), form.parser()),
                  tenant,
                  form.toSpec().apply(creation.id(), creation.wanted()));
            });
  }

  /// Changes one.
  ///
  /// @param name of the resource, as `wanted` has it
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
                        M next = FieldMasks.merge(before, update.wanted(), fields);
                        tools.rules().require(form.field(), next);
                        return form.toSpec()
                            .apply(child.id().toString(), form.settled().apply(next, fields));
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
