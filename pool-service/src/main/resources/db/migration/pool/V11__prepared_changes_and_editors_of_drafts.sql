-- The supply's half of a change of supply and rights that policy-service has not decided yet. While it
-- is here, the version in force stays.
create table prepared_changes (
  tenant_id     text primary key references configurations,
  change_id     text not null,
  base_version  bigint not null check (base_version >= 0),
  -- Null: the supply stays as it is.
  content_id    bigint,
  -- Of the draft that the change makes useless. Null: there was none.
  draft_content bigint,
  prepared_at   timestamptz not null,
  prepared_by   text not null,
  foreign key (tenant_id, content_id) references contents
);

-- The last change together with rights, up to this version. Null: there was none.
alter table versions
  add column change_id               text,
  add column change_resource_version bigint,
  add column change_access_version   bigint,
  add check ((change_id is null) = (change_resource_version is null)),
  add check ((change_id is null) = (change_access_version is null));

-- The callers that edited a draft since it was begun.
create table draft_editors (
  tenant_id text not null,
  subject   text not null,
  edited_at timestamptz not null,
  primary key (tenant_id, subject)
);
insert into draft_editors select tenant_id, updated_by, updated_at from drafts;

select guard_tenant('prepared_changes', 'tenant_id');
select guard_tenant('draft_editors', 'tenant_id');
