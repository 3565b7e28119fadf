-- Which life of the database the catalog's version belongs to. Whoever restores the database from a
-- backup gives it another (README, "After a restore"): versions are then counted anew, and a watcher
-- that has seen more than the backup holds must not take the new ones for those it knows.
alter table catalog add column incarnation uuid not null default gen_random_uuid();
