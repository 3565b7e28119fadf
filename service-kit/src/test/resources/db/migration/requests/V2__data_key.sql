create table data_key (
  id         bigint primary key,
  wrapped    bytea not null,
  wrapped_by text not null,
  retired    boolean not null default false,
  created_at timestamptz not null default clock_timestamp()
);
