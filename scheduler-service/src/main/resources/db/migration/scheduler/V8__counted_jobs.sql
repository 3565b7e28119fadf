-- How many jobs of each kind there are, so that a list costs its page and not all that match it. Kept by triggers,
-- whoever writes: leaders, what forgets history, and a scheduler of the version before this one.
create table job_count (
  tenant    text    not null,
  queue     text    not null,
  policy    text    not null,
  user_id   text    not null,
  state     text    not null,
  forgotten boolean not null,            -- apart, so that who forgets history never waits for a leader's rows
  jobs      bigint  not null,            -- 0 or less where forgotten
  primary key (tenant, queue, policy, user_id, state, forgotten)
) with (fillfactor = 50);
insert into job_count
select tenant, queue, policy, user_id, state, false, count(*) from job group by tenant, queue, policy, user_id, state;

create function count_new_jobs() returns trigger language plpgsql set search_path from current as $$
begin
  insert into job_count as known
  select tenant, queue, policy, user_id, state, false, count(*) from new_jobs
  group by tenant, queue, policy, user_id, state
  on conflict (tenant, queue, policy, user_id, state, forgotten) do update set jobs = known.jobs + excluded.jobs;
  return null;
end $$;
create trigger job_count_new after insert on job
  referencing new table as new_jobs for each statement execute function count_new_jobs();

create function count_changed_jobs() returns trigger language plpgsql set search_path from current as $$
begin
  insert into job_count as known
  select tenant, queue, policy, user_id, state, false, sum(jobs)
  from (select tenant, queue, policy, user_id, state, 1 as jobs from new_jobs
        union all select tenant, queue, policy, user_id, state, -1 from old_jobs) as moves
  group by tenant, queue, policy, user_id, state having sum(jobs) <> 0
  on conflict (tenant, queue, policy, user_id, state, forgotten) do update set jobs = known.jobs + excluded.jobs;
  return null;
end $$;
create trigger job_count_changed after update on job
  referencing old table as old_jobs new table as new_jobs for each statement execute function count_changed_jobs();

create function count_forgotten_jobs() returns trigger language plpgsql set search_path from current as $$
begin
  insert into job_count as known
  select tenant, queue, policy, user_id, state, true, -count(*) from old_jobs
  group by tenant, queue, policy, user_id, state
  order by tenant, queue, policy, user_id, state
  on conflict (tenant, queue, policy, user_id, state, forgotten) do update set jobs = known.jobs + excluded.jobs;
  return null;
end $$;
create trigger job_count_forgotten after delete on job
  referencing old table as old_jobs for each statement execute function count_forgotten_jobs();

-- The newest of each kind: a list of some kinds is merged from theirs.
create index job_by_kind on job (tenant, queue, policy, user_id, state, id desc);

-- Most jobs have no labels, and need no entry.
drop index job_by_label;
create index job_by_label on job using gin (labels) where labels <> '{}';
