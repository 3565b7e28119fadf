-- Decisions on changes of supply and rights. A row is the one truth about its change; pool-service has
-- the other half, and is told until it has answered.
create table changes (
  tenant_id        text not null,
  change_id        text not null,
  outcome          text not null check (outcome in ('COMMITTED', 'ABANDONED')),
  -- 0: abandoned.
  access_version   bigint not null,
  decided_at       timestamptz not null,
  -- Whether pool-service has carried the decision out.
  settled          boolean not null,
  primary key (tenant_id, change_id)
);
create index changes_unsettled on changes (decided_at) where not settled;
-- By age, of those that are forgotten.
create index changes_settled on changes (decided_at) where settled;

-- The last change together with resources. Null: there was none.
alter table tenants
  add column change_id               text,
  add column change_resource_version bigint,
  add column change_access_version   bigint,
  add check ((change_id is null) = (change_resource_version is null)),
  add check ((change_id is null) = (change_access_version is null));

select guard_tenant('changes', 'tenant_id');
