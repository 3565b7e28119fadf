-- Values that may be secrets are sealed: encrypted under a data key of this schema, which a key outside of the database
-- encrypts (kit.seal). Their first byte is the version of that form, so nothing in clear text gets into these columns. The
-- columns open_… have what earlier versions stored. The first start of this version seals it and empties them.
-- The checks hold for what is written from now on, so that they do not read millions of rows here: all columns are new.
create table data_key (
  id         bigint primary key,
  wrapped    bytea not null,
  wrapped_by text not null,
  retired    boolean not null default false,
  created_at timestamptz not null default clock_timestamp()
);

alter table vault_environment rename column value to open_value;
alter table vault_environment
  alter column open_value drop not null,
  add column value bytea,
  add check (get_byte(value, 0) = 2) not valid,
  add check (num_nonnulls(open_value, value) = 1) not valid;

-- What open_private has was encrypted by the key outside of the database itself, without a data key.
alter table signing_keys rename column sealed_private to open_private;
alter table signing_keys
  alter column open_private drop not null,
  add column sealed_private bytea,
  add check (get_byte(sealed_private, 0) = 2) not valid,
  add check (num_nonnulls(open_private, sealed_private) = 1) not valid;

alter table service_secrets rename column value to open_value;
alter table service_secrets
  alter column open_value drop not null,
  add column value bytea,
  add check (get_byte(value, 0) = 2) not valid,
  add check (num_nonnulls(open_value, value) = 1) not valid;

alter table request_log rename column answer to open_answer;
alter table request_log
  add column answer bytea,
  add check (get_byte(answer, 0) = 2) not valid,
  add check (num_nonnulls(open_answer, answer) <= 1) not valid;
