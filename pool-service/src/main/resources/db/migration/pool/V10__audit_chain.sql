-- A hash chain over the audit log of each tenant, and one over the entries without a tenant (chain ''). A row of the chain is
-- written when the entry's transaction commits. The lock orders commits; it is the last lock of each transaction and one for
-- all chains, so no two transactions wait for each other. AuditChain of the service-kit computes the same hashes.
-- No entry may come between the look at the last one and the trigger.
lock table audit_log in share row exclusive mode;

create table audit_chain (
  chain    text   not null,
  sequence bigint not null,
  audit_id bigint not null unique,
  hash     bytea  not null,
  primary key (chain, sequence)
);

-- Entries up to this one are from before there was a chain.
create table audit_chain_start (
  only_row boolean primary key default true check (only_row),
  audit_id bigint not null
);
insert into audit_chain_start (audit_id) select coalesce(max(audit_id), 0) from audit_log;

create function audit_bytes(value text) returns bytea language sql immutable as $$
  select case when value is null then int4send(-1)
    else int4send(octet_length(convert_to(value, 'UTF8'))) || convert_to(value, 'UTF8') end
$$;
create function audit_bytes(list text[]) returns bytea language sql immutable as $$
  select int4send(cardinality(list)) || coalesce(
    (select string_agg(pool.audit_bytes(item), ''::bytea order by place)
     from unnest(list) with ordinality as each_item(item, place)), ''::bytea)
$$;

-- As the owner of the schema, because the service's own role may not write the chain.
create function chain_audit_entry() returns trigger language plpgsql
security definer set search_path = pool, pg_temp as $$
declare
  own text := coalesce(new.tenant_id, '');
  last audit_chain;
begin
  perform pg_advisory_xact_lock(hashtextextended('headgate audit chain of pool', 0));
  select * into last from audit_chain where chain = own order by sequence desc limit 1;
  insert into audit_chain (chain, sequence, audit_id, hash)
  values (own, coalesce(last.sequence, 0) + 1, new.audit_id, sha256(
    coalesce(last.hash, ''::bytea) || audit_bytes(own) || int8send(coalesce(last.sequence, 0) + 1)
    || int8send(new.audit_id) || int8send((extract(epoch from new.at) * 1000000)::bigint)
    || audit_bytes(new.tenant_id)
    || audit_bytes(new.actor)
    || audit_bytes(new.request_id)
    || audit_bytes(new.action)
    || audit_bytes(new.target)
    || audit_bytes(new.fields)
    || audit_bytes(new.before)
    || audit_bytes(new.after)));
  return null;
end $$;
-- A trigger needs no right to it; a table of another user must not run it.
revoke execute on function chain_audit_entry() from public;
create constraint trigger audit_log_is_chained after insert on audit_log
  deferrable initially deferred for each row execute function chain_audit_entry();

create trigger audit_chain_is_append_only before update or delete on audit_chain
  for each row execute function refuse_change();
create trigger audit_chain_is_not_truncated before truncate on audit_chain
  for each statement execute function refuse_change();
