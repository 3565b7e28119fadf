-- The key of a node is bound to the key pair of its machine. Keys of earlier versions are bound by their first proof.
alter table keys
  -- The public key, in the encoding of the contract.
  add column machine_key bytea check (length(machine_key) = 44),
  -- Counter of the last proof that was accepted. 0: none.
  add column proof_counter bigint not null default 0 check (proof_counter >= 0),
  add check (machine_key is null or kind = 'NODE'),
  add check (proof_counter = 0 or machine_key is not null);
