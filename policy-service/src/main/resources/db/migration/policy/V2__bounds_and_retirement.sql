-- Revoked keys are listed too, so the newest of all must be found as fast as the newest of those that work.
create index keys_newest_of_all on keys (created_at desc, key_id desc);
create index keys_newest_of_all_of_tenant on keys (tenant_id, created_at desc, key_id desc);

-- Tokens of a tenant that have not ended are counted.
create index join_tokens_of_tenant on join_tokens (tenant_id, expires_at);

-- Ids of removed tenants are never given to others: other services still hold what was the old one's.
create table retired_tenants (
  tenant_id  text primary key,
  retired_at timestamptz not null
);
insert into retired_tenants (tenant_id, retired_at)
  select tenant_id, max(at) from audit_log
  where action = 'DeleteTenant' and outcome = 'DONE' and tenant_id not in (select tenant_id from tenants)
  group by tenant_id;
