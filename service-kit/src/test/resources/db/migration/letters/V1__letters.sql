create table data_key (
  id         bigint primary key,
  wrapped    bytea not null,
  wrapped_by text not null,
  retired    boolean not null default false,
  created_at timestamptz not null default clock_timestamp()
);

create table letter (
  id        bigint primary key,
  open_body text,
  body      bytea check (get_byte(body, 0) = 2),
  check (num_nonnulls(open_body, body) = 1)
);

create table secret (
  name  text primary key,
  value bytea not null
);
