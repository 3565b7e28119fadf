-- Events in partitions of a week, so that forgetting a week is dropping a table. The scheduler makes the coming weeks
-- and drops those that are older than its history.keep. What no week takes is in event_rest.
alter table event rename to event_rest;
alter index event_by_tenant rename to event_rest_by_tenant;
alter index event_by_job rename to event_rest_by_job;
alter table event_rest drop constraint event_pkey;
alter table event_rest add constraint event_rest_pkey primary key (version, time);

create table event (like event_rest) partition by range (time);
alter table event add constraint event_pkey primary key (version, time);
create index event_by_tenant on event (tenant, version desc);
create index event_by_job on event (job_id, version desc) where job_id is not null;
alter table event attach partition event_rest default;

-- Who is to be forgotten next.
create index job_by_end on job (finished_at) where finished_at is not null;
