-- First in every transaction of a leader: its lock orders writers, and its error ends the transaction of a deposed one.
-- So a transaction goes to the server as a whole, with its commit, and costs one round trip.
--
-- One that was on its way when its connection broke may arrive after its leader found that it did not happen, and wrote
-- it again: each follows the batch before it, so it happens once. What only renews (is_renewal) follows itself.
--
-- A leader that stands still while it sends one keeps the row locked, so that nobody could follow it. From version 17 on
-- the server ends such a transaction, with its connection, after half of the lease that it was to renew. Whoever lives finds
-- out that it did not happen.
create function fence(
  batch bigint, newest bigint, is_renewal boolean, lease_ms bigint, of_incarnation uuid, of_epoch bigint, of_leader text)
returns void language plpgsql as $$
begin
  if current_setting('server_version_num')::int >= 170000 then
    perform set_config('transaction_timeout', (lease_ms / 2)::text, true);
  end if;
  update leadership
  set last_batch = batch, version = newest, renewed_at = clock_timestamp(),
      lease_until = clock_timestamp() + lease_ms * interval '1 millisecond'
  where domain = 'default' and incarnation = of_incarnation and epoch = of_epoch and leader = of_leader
    and (last_batch = batch - 1 or (is_renewal and last_batch = batch));
  if not found then
    raise exception 'batch % of epoch % of % comes too late', batch, of_epoch, of_leader using errcode = 'HG001';
  end if;
end
$$;
