-- A hold without rule is that of a job that was blocked for too long: nobody was asked to stop for it.
alter table hold
  alter column rule drop not null,
  add column expected_start timestamptz;

comment on column hold.victim_jobs is 'attempts that have to leave first: asked to stop, or expected to end by themselves';
