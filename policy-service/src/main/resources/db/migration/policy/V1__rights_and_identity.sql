-- Rights and identity. What belongs to a tenant has tenant_id first in its primary key.
-- GPU quantities are in units of 1/126000 GPU.

create table tenants (
  tenant_id         text primary key,
  display_name      text not null,
  created_at        timestamptz not null,
  -- Version of groups, policies and queues together; 0: never set.
  access_version    bigint not null default 0,
  access_updated_at timestamptz,
  access_updated_by text,
  -- Version of the watch at the last change of the access version.
  watch_version     bigint not null default 0,
  check ((access_version = 0) = (access_updated_at is null)),
  check ((access_version = 0) = (access_updated_by is null))
);

create index tenants_by_watch_version on tenants (watch_version);

-- Version of the watch over all tenants' access configurations. Every transaction that changes one
-- updates this row last, so versions become visible in their order. It begins at 1, because 0 is
-- what a watcher sends that has seen nothing.
create table access_watch (
  only_row boolean primary key default true check (only_row),
  version  bigint not null
);
insert into access_watch (version) values (1);

-- Tenants that are gone, for watchers that were away when they went.
create table deleted_tenants (
  tenant_id     text primary key,
  watch_version bigint not null
);
create index deleted_tenants_by_watch_version on deleted_tenants (watch_version);

create table users (
  tenant_id    text not null references tenants,
  user_id      text not null,
  display_name text not null,
  is_admin     boolean not null,
  created_at   timestamptz not null,
  primary key (tenant_id, user_id)
);

create table service_accounts (
  tenant_id          text not null references tenants,
  service_account_id text not null,
  display_name       text not null,
  created_at         timestamptz not null,
  primary key (tenant_id, service_account_id)
);

create table groups (
  tenant_id text not null references tenants,
  group_id  text not null,
  primary key (tenant_id, group_id)
);

create table group_users (
  tenant_id text not null,
  group_id  text not null,
  user_id   text not null,
  primary key (tenant_id, group_id, user_id),
  foreign key (tenant_id, group_id) references groups on delete cascade,
  foreign key (tenant_id, user_id) references users
);
-- A token states its bearer's groups, so they are looked up by member.
create index group_users_by_user on group_users (tenant_id, user_id, group_id);

create table group_service_accounts (
  tenant_id          text not null,
  group_id           text not null,
  service_account_id text not null,
  primary key (tenant_id, group_id, service_account_id),
  foreign key (tenant_id, group_id) references groups on delete cascade,
  foreign key (tenant_id, service_account_id) references service_accounts
);
create index group_service_accounts_by_account
  on group_service_accounts (tenant_id, service_account_id, group_id);

create table policies (
  tenant_id            text not null references tenants,
  policy_id            text not null,
  group_id             text not null,
  reservation_units    bigint not null check (reservation_units >= 0),
  limit_units          bigint not null,
  per_user_limit_units bigint check (per_user_limit_units >= 0),
  weight               int not null check (weight >= 1),
  on_preempt           text not null check (on_preempt in ('REQUEUE', 'CANCEL')),
  min_runtime_ms       bigint not null check (min_runtime_ms >= 0),
  preemptible          boolean not null,
  preempt_within       text not null check (preempt_within in ('NEVER', 'LOWER_PRIORITY')),
  -- Null: its jobs run on for ever without contact.
  stop_after_ms        bigint check (stop_after_ms > 0),
  description          text not null,
  primary key (tenant_id, policy_id),
  foreign key (tenant_id, group_id) references groups,
  check (reservation_units <= limit_units)
);

create table policy_exceed_limit (
  tenant_id text not null,
  policy_id text not null,
  user_id   text not null,
  primary key (tenant_id, policy_id, user_id),
  foreign key (tenant_id, policy_id) references policies on delete cascade,
  foreign key (tenant_id, user_id) references users
);

create table queues (
  tenant_id        text not null references tenants,
  queue_id         text not null,
  policy_id        text not null,
  -- Of the tenant's resource configuration, which another service has.
  profile_id       text not null,
  rank             int not null check (rank >= 1),
  over_reservation boolean not null,
  paused           boolean not null,
  primary key (tenant_id, queue_id),
  foreign key (tenant_id, policy_id) references policies,
  -- Deferred, so that two queues can swap profiles in one transaction.
  constraint queues_connect_once unique (tenant_id, policy_id, profile_id)
    deferrable initially deferred
);

-- Long-lived secrets, hashed. No reference to tenants: a key outlives its owner as a revoked one,
-- so that it never works again, even for a new owner of the same name.
create table keys (
  key_id        text primary key,
  kind          text not null check (kind in ('USER', 'SERVICE_ACCOUNT', 'NODE', 'SERVICE', 'OPERATOR')),
  tenant_id     text,
  owner_id      text not null,
  -- The pool that a node joined.
  pool_id       text,
  secret_sha256 bytea not null check (length(secret_sha256) = 32),
  description   text not null,
  created_at    timestamptz not null,
  created_by    text not null,
  expires_at    timestamptz,
  -- To the hour.
  last_used_at  timestamptz,
  revoked_at    timestamptz,
  revoked_by    text,
  check ((tenant_id is null) = (kind in ('SERVICE', 'OPERATOR'))),
  check ((pool_id is not null) = (kind = 'NODE')),
  check ((revoked_at is null) = (revoked_by is null))
);
create index keys_newest on keys (created_at desc, key_id desc) where revoked_at is null;
create index keys_newest_of_tenant on keys (tenant_id, created_at desc, key_id desc)
  where revoked_at is null;
create index keys_of_owner on keys (kind, tenant_id, owner_id);
-- One machine a node: a second one cannot have the name while the first one's key is live.
create unique index keys_one_live_per_node on keys (tenant_id, owner_id)
  where kind = 'NODE' and revoked_at is null;

create table join_tokens (
  join_token_id text primary key,
  tenant_id     text not null references tenants on delete cascade,
  pool_id       text not null,
  secret_sha256 bytea not null check (length(secret_sha256) = 32),
  uses          int not null,
  uses_left     int not null,
  created_at    timestamptz not null,
  created_by    text not null,
  expires_at    timestamptz not null,
  check (uses >= 1 and uses_left between 0 and uses)
);
create index join_tokens_by_expiry on join_tokens (expires_at);

-- Keys that sign tokens; the private part is sealed with a key that is not in this database.
create table signing_keys (
  signing_key_id text primary key,
  public_jwk     text not null,
  sealed_private bytea not null,
  created_at     timestamptz not null,
  active_from    timestamptz not null
);

-- What all instances of the service must agree on and nobody else needs to know.
create table service_secrets (
  name  text primary key,
  value bytea not null
);

-- Answers to requests that carried an id; see the service-kit's RequestLog.
create table request_log (
  caller         text not null,
  method         text not null,
  request_id     text not null,
  request_sha256 text not null,
  answer         bytea,
  created_at     timestamptz not null,
  primary key (caller, method, request_id)
);
create index request_log_by_age on request_log (created_at);

-- What happened, for ever. fields, before and after are parallel.
create table audit_log (
  audit_id   bigint generated always as identity primary key,
  at         timestamptz not null,
  tenant_id  text,
  actor      text not null,
  address    text not null,
  request_id text not null,
  action     text not null,
  target     text not null,
  outcome    text not null check (outcome in ('DONE', 'REFUSED')),
  reason     text not null,
  fields     text[] not null,
  before     text[] not null,
  after      text[] not null
);
create index audit_log_of_tenant on audit_log (tenant_id, audit_id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is only ever appended to';
end $$;
create trigger audit_log_is_append_only before update or delete on audit_log
  for each row execute function refuse_change();
create trigger audit_log_is_not_truncated before truncate on audit_log
  for each statement execute function refuse_change();
