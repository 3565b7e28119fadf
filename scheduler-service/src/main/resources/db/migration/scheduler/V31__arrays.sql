-- Arrays: many equal jobs in one row. An element has a row of its own once it has started, or was cancelled before.
alter table job
  add column array_id bigint,      -- of an element: its array
  add column array_number integer, -- of an element: from 1 to the size
  add column array_state text;     -- of an array: how its elements stand, as in ArrayRow
-- The state of an array is RUNNING while an element has an attempt, else WAITING until all have ended.

-- Lists of jobs have arrays, and no elements.
create or replace function count_new_jobs() returns trigger language plpgsql set search_path from current as $$
begin
  insert into job_count as known
  select tenant, queue, policy, user_id, state, false, count(*) from new_jobs where array_id is null
  group by tenant, queue, policy, user_id, state
  on conflict (tenant, queue, policy, user_id, state, forgotten) do update set jobs = known.jobs + excluded.jobs;
  return null;
end $$;

create or replace function count_changed_jobs() returns trigger language plpgsql set search_path from current as $$
begin
  insert into job_count as known
  select tenant, queue, policy, user_id, state, false, sum(jobs)
  from (select tenant, queue, policy, user_id, state, 1 as jobs from new_jobs where array_id is null
        union all select tenant, queue, policy, user_id, state, -1 from old_jobs where array_id is null) as moves
  group by tenant, queue, policy, user_id, state having sum(jobs) <> 0
  on conflict (tenant, queue, policy, user_id, state, forgotten) do update set jobs = known.jobs + excluded.jobs;
  return null;
end $$;

create or replace function count_forgotten_jobs() returns trigger language plpgsql set search_path from current as $$
begin
  insert into job_count as known
  select tenant, queue, policy, user_id, state, true, -count(*) from old_jobs where array_id is null
  group by tenant, queue, policy, user_id, state
  order by tenant, queue, policy, user_id, state
  on conflict (tenant, queue, policy, user_id, state, forgotten) do update set jobs = known.jobs + excluded.jobs;
  return null;
end $$;

drop index job_by_kind;
create index job_by_kind on job (tenant, queue, policy, user_id, state, id desc) where array_id is null;
drop index job_by_age;
create index job_by_age on job (tenant, id desc) where array_id is null;
create index job_by_array on job (array_id, id) where array_id is not null;

-- A view has the columns that its table had when the view was made.
create or replace view visible_job as select * from job
where tenant = current_setting('headgate.tenant', true) or current_setting('headgate.tenant', true) = '*';
