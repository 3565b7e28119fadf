-- Leads steer the jobs of their group. Members of a tenant see what others run only where it is open.
alter table group_users add column is_lead boolean not null default false;
alter table tenants add column visibility text not null default 'OWN' check (visibility in ('OWN', 'TENANT'));

-- Watchers are told who the admins are.
create index users_who_are_admins on users (tenant_id, user_id) where is_admin;
update access_watch set version = version + 1;
update tenants set watch_version = (select version from access_watch) where access_version > 0;
