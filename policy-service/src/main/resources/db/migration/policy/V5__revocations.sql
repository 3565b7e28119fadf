-- Tokens that ended before their time, for services that verify tokens offline. A name is a key, a
-- subject or a tenant; the version counts revocations, and a token carries the version of its making.
-- Rows older than any token are deleted.
create table revocations (
  name       text primary key,
  version    bigint not null,
  revoked_at timestamptz not null
);
create index revocations_by_version on revocations (version);
create index revocations_by_age on revocations (revoked_at);

-- Updated last by every transaction that revokes, so versions become visible in their order. The
-- incarnation is that of access_watch.
create table revocation_watch (
  only_row boolean primary key default true check (only_row),
  version  bigint not null
);
insert into revocation_watch (version) values (1);
