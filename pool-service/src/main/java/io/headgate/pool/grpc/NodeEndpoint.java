package io.headgate.pool.grpc;

import com.google.protobuf.Empty;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.grpc.PageTokens;
import io.headgate.kit.grpc.Pages;
import io.headgate.kit.grpc.Pages.Page;
import io.headgate.pool.core.Denial;
import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.core.node.Node.Drain;
import io.headgate.pool.core.node.NodeDecisions.Registrant;
import io.headgate.pool.grpc.Names.Named;
import io.headgate.pool.runtime.Nodes;
import io.headgate.proto.pool.v1.ApproveNodeRequest;
import io.headgate.proto.pool.v1.DeleteNodeRequest;
import io.headgate.proto.pool.v1.DrainNodeRequest;
import io.headgate.proto.pool.v1.GetNodeRequest;
import io.headgate.proto.pool.v1.LabelNodeRequest;
import io.headgate.proto.pool.v1.ListNodesRequest;
import io.headgate.proto.pool.v1.ListNodesResponse;
import io.headgate.proto.pool.v1.MoveNodeRequest;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.NodeServiceGrpc;
import io.headgate.proto.pool.v1.RegisterNodeRequest;
import io.headgate.proto.pool.v1.UndrainNodeRequest;
import io.headgate.type.NameRule;
import java.util.List;
import java.util.Objects;

/// Serves registrations of nodes, and their administration.
public final class NodeEndpoint extends NodeServiceGrpc.NodeServiceImplBase {
  /// The attribute of a node's token that names the pool it joined.
  public static final String POOL_ATTRIBUTE = "pool";

  private final Nodes nodes;
  private final Pages pages;

  public NodeEndpoint(Nodes nodes, PageTokens tokens) {
    this.nodes = nodes;
    this.pages = new Pages(tokens);
  }

  @Override
  public void registerNode(RegisterNodeRequest request, StreamObserver<Node> out) {
    Answers.send(
        out,
        () -> {
          Registrant registrant = registrant(request.getNode().getName());
          io.headgate.pool.core.node.Node node =
              nodes.register(
                  Answers.caller(), registrant, NodeMessages.inventory(request.getNode()));
          return NodeMessages.message(node).toBuilder()
              .setMigAuto(nodes.migAuto(node.tenant(), node.pool()))
              .build();
        });
  }

  /// The node of the token, which must be the node of the request. The method looks up no other
  /// name.
  private static Registrant registrant(String asked) {
    Principal principal = Principals.current();
    TenantId tenant = new TenantId(Objects.requireNonNull(principal.tenant()));
    NodeId node = new NodeId(Objects.requireNonNull(principal.node()));
    String own = Names.of(tenant, node);
    if (!asked.equals(own)) {
      throw Refusals.of(List.of(new Denial.ForeignNode("node.name", asked, own))).exception();
    }
    String pool = principal.attributes().getOrDefault(POOL_ATTRIBUTE, "");
    if (!NameRule.isValid(pool)) {
      throw Refusals.of(List.of(new Denial.NoPoolInToken(node.value()))).exception();
    }
    return new Registrant(tenant, node, new PoolId(pool));
  }

  @Override
  public void listNodes(ListNodesRequest request, StreamObserver<ListNodesResponse> out) {
    Answers.send(
        out,
        () -> {
          TenantId tenant = Names.parent(request.getParent());
          Page<io.headgate.pool.core.node.Node> page =
              pages.read(
                  new Pages.Request(
                      List.of("ListNodes", tenant.value()),
                      request.getPageSize(),
                      request.getPageToken()),
                  (after, limit) -> nodes.list(tenant, after.map(NodeId::new), limit),
                  node -> node.id().value());
          return ListNodesResponse.newBuilder()
              .addAllNodes(page.items().stream().map(NodeMessages::message).toList())
              .setNextPageToken(page.nextToken())
              .build();
        });
  }

  @Override
  public void getNode(GetNodeRequest request, StreamObserver<Node> out) {
    Answers.send(
        out,
        () -> {
          Named<NodeId> name = Names.node("name", request.getName());
          return NodeMessages.message(nodes.get(name.tenant(), name.id()));
        });
  }

  @Override
  public void drainNode(DrainNodeRequest request, StreamObserver<Node> out) {
    Answers.send(out, () -> drain(request.getName(), new Drain(true, request.getReason())));
  }

  @Override
  public void undrainNode(UndrainNodeRequest request, StreamObserver<Node> out) {
    Answers.send(out, () -> drain(request.getName(), Drain.NONE));
  }

  @Override
  public void approveNode(ApproveNodeRequest request, StreamObserver<Node> out) {
    Answers.send(
        out,
        () -> {
          Named<NodeId> node = Names.node("name", request.getName());
          return NodeMessages.message(
              nodes.approve(Answers.caller(), node.tenant(), node.id(), request.getEtag()));
        });
  }

  @Override
  public void moveNode(MoveNodeRequest request, StreamObserver<Node> out) {
    Answers.send(
        out,
        () -> {
          Named<NodeId> node = Names.node("name", request.getName());
          return NodeMessages.message(
              request.getValidateOnly()
                  ? nodes.checkMove(node.tenant(), node.id(), request.getPool())
                  : nodes.move(Answers.caller(), node.tenant(), node.id(), request.getPool()));
        });
  }

  @Override
  public void labelNode(LabelNodeRequest request, StreamObserver<Node> out) {
    Answers.send(
        out,
        () -> {
          Named<NodeId> node = Names.node("name", request.getName());
          return NodeMessages.message(
              nodes.label(
                  Answers.caller(),
                  node.tenant(),
                  node.id(),
                  request.getLabelsMap(),
                  request.getRemovedKeysList()));
        });
  }

  private Node drain(String name, Drain drain) {
    Named<NodeId> node = Names.node("name", name);
    return NodeMessages.message(nodes.drain(Answers.caller(), node.tenant(), node.id(), drain));
  }

  @Override
  public void deleteNode(DeleteNodeRequest request, StreamObserver<Empty> out) {
    Answers.send(
        out,
        () -> {
          Named<NodeId> name = Names.node("name", request.getName());
          nodes.delete(Answers.caller(), name.tenant(), name.id());
          return Empty.getDefaultInstance();
        });
  }
}
