create table account (tenant_id text not null, name text not null, balance bigint not null, primary key (tenant_id, name));

create table audit_log (
  audit_id  bigint generated always as identity primary key,
  tenant_id text,
  action    text not null
);

create table note (at timestamptz not null, body text not null) partition by range (at);
create table note_rest partition of note default;
