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

create table counted (
  n integer not null
);
