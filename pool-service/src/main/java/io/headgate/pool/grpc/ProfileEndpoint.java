package io.headgate.pool.grpc;

import com.google.protobuf.Empty;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.grpc.FieldMasks;
import io.headgate.kit.grpc.MessageBytes;
import io.headgate.kit.grpc.MessageRules;
import io.headgate.kit.grpc.PageTokens;
import io.headgate.kit.grpc.Pages;
import io.headgate.kit.grpc.Pages.Page;
import io.headgate.pool.core.Denial;
import io.headgate.pool.core.configuration.ConfigurationSpec.ProfileSpec;
import io.headgate.pool.core.name.Kind;
import io.headgate.pool.core.name.ProfileId;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.grpc.Names.Named;
import io.headgate.pool.runtime.Drafts;
import io.headgate.proto.pool.v1.CreateProfileRequest;
import io.headgate.proto.pool.v1.DeleteProfileRequest;
import io.headgate.proto.pool.v1.GetProfileRequest;
import io.headgate.proto.pool.v1.ListProfilesRequest;
import io.headgate.proto.pool.v1.ListProfilesResponse;
import io.headgate.proto.pool.v1.Profile;
import io.headgate.proto.pool.v1.ProfileServiceGrpc;
import io.headgate.proto.pool.v1.UpdateProfileRequest;
import java.util.List;
import java.util.Set;

/// Serves single profiles, in the draft or as provisioned.
public final class ProfileEndpoint extends ProfileServiceGrpc.ProfileServiceImplBase {
  private static final MessageRules RULES = new MessageRules(List.of(Profile.getDescriptor()));
  private static final List<String> WRITABLE = FieldMasks.allBut("name", Profile.getDescriptor());

  private final Drafts drafts;
  private final Pages pages;

  public ProfileEndpoint(Drafts drafts, PageTokens tokens) {
    this.drafts = drafts;
    this.pages = new Pages(tokens);
  }

  @Override
  public void listProfiles(ListProfilesRequest request, StreamObserver<ListProfilesResponse> out) {
    Answers.send(out, () -> list(request));
  }

  private ListProfilesResponse list(ListProfilesRequest request) {
    TenantId tenant = Names.parent(request.getParent());
    Viewers.requireAll(request.getView());
    Page<io.headgate.pool.core.configuration.Profile> page =
        pages.cut(
            new Pages.Request(
                List.of(
                    "ListProfiles",
                    tenant.value(),
                    Views.isDraft(request.getView()) ? "draft" : ""),
                request.getPageSize(),
                request.getPageToken()),
            Views.of(drafts.state(tenant), request.getView()).profiles(),
            profile -> profile.id().value());
    return ListProfilesResponse.newBuilder()
        .addAllProfiles(
            page.items().stream()
                .map(profile -> Viewers.seen(ProfileMessages.message(tenant, profile)))
                .toList())
        .setNextPageToken(page.nextToken())
        .build();
  }

  @Override
  public void getProfile(GetProfileRequest request, StreamObserver<Profile> out) {
    Answers.send(
        out,
        () -> {
          Named<ProfileId> name = Names.profile("name", request.getName());
          Viewers.requireAll(request.getView());
          return Views.of(drafts.state(name.tenant()), request.getView())
              .profile(name.id())
              .map(profile -> Viewers.seen(ProfileMessages.message(name.tenant(), profile)))
              .orElseThrow(() -> notFound(name.id()));
        });
  }

  @Override
  public void createProfile(CreateProfileRequest request, StreamObserver<Profile> out) {
    Answers.send(
        out,
        () -> {
          TenantId tenant = Names.parent(request.getParent());
          byte[] answer =
              drafts.createProfile(
                  Answers.caller(),
                  tenant,
                  ProfileMessages.spec(request.getProfileId(), request.getProfile()),
                  Answers.once(
                      ProfileServiceGrpc.getCreateProfileMethod(),
                      request.getRequestId(),
                      request.toBuilder().clearRequestId().build(),
                      profile -> ProfileMessages.message(tenant, profile)));
          return MessageBytes.stored(Profile.parser(), answer);
        });
  }

  @Override
  public void updateProfile(UpdateProfileRequest request, StreamObserver<Profile> out) {
    Answers.send(
        out,
        () -> {
          Named<ProfileId> name = Names.profile("profile.name", request.getProfile().getName());
          Set<String> paths =
              FieldMasks.paths(request.getUpdateMask(), request.getProfile(), WRITABLE);
          io.headgate.pool.core.configuration.Profile updated =
              drafts.updateProfile(
                  Answers.caller(),
                  name.tenant(),
                  name.id(),
                  current -> merge(request, paths, name, current));
          return ProfileMessages.message(name.tenant(), updated);
        });
  }

  private static ProfileSpec merge(
      UpdateProfileRequest request,
      Set<String> paths,
      Named<ProfileId> name,
      io.headgate.pool.core.configuration.Profile current) {
    Profile merged =
        FieldMasks.merge(
            ProfileMessages.message(name.tenant(), current), request.getProfile(), paths);
    RULES.require("profile", merged);
    return ProfileMessages.spec(name.id().value(), merged);
  }

  @Override
  public void deleteProfile(DeleteProfileRequest request, StreamObserver<Empty> out) {
    Answers.send(
        out,
        () -> {
          Named<ProfileId> name = Names.profile("name", request.getName());
          drafts.deleteProfile(Answers.caller(), name.tenant(), name.id());
          return Empty.getDefaultInstance();
        });
  }

  private static RuntimeException notFound(ProfileId id) {
    return Refusals.of(List.of(new Denial.NotFound(Kind.PROFILE, id.value()))).exception();
  }
}
