-- Everything the scheduler must not lose. One leader writes, in one transaction a batch, and every
-- transaction checks and moves its row of leadership first (DESIGN 4), so that the row's lock
-- orders writers and a deposed one writes nothing.
-- Units: *_units are 1/126000 GPU, *_bytes bytes, *_ms milliseconds, *_millis 1/1000 of a core.

create table leadership (
  domain      text        primary key,
  incarnation uuid        not null,            -- new at every restore from a backup
  epoch       bigint      not null,            -- rises with every take-over
  leader      text,                            -- absent: released, anybody may take over
  address     text,                            -- where the leader is reached, host:port
  since       timestamptz,
  renewed_at  timestamptz not null,
  lease_until timestamptz not null,            -- in this database's time
  last_batch  bigint      not null,            -- tells whether a commit of unknown outcome happened
  version     bigint      not null             -- of watches: of the last event and job change
);
insert into leadership
values ('default', gen_random_uuid(), 0, null, null, null, now(), now(), 0, 0);

create table job (
  id             bigint      primary key,
  tenant         text        not null,
  name           text        not null,         -- the job's id in its tenant
  queue          text        not null,
  policy         text        not null,
  profile        text        not null,
  gpu_units      bigint      not null,         -- of all workers
  workers        integer     not null,
  user_id        text        not null,
  submitter      text        not null,         -- resource name of who submitted it
  priority       integer     not null,
  preemptible    boolean,                      -- absent: as the policy says
  max_runtime_ms bigint,
  by_role        boolean     not null,         -- admitted as an admin, not as a member of the policy's group
  labels         text[]      not null,         -- 'key=value'; keys have no '='
  traceparent    text        not null,
  created_at     timestamptz not null,
  submitted_at   timestamptz not null,         -- later than created_at when it was queued anew
  state          text        not null,
  sequence       bigint      not null,         -- its place among equals; the core's
  attempts       integer     not null,
  preempted_by   bigint,
  preempted_rule text,
  preempted_at   timestamptz,
  started_at     timestamptz,
  finished_at    timestamptz,
  exit_code      integer,
  draft_code     text,                         -- why it is a draft
  draft_message  text,
  simulated      boolean     not null,
  version        bigint      not null,
  unique (tenant, name)
);
create index job_by_age on job (tenant, id desc);
create index job_by_version on job (tenant, version);
create index job_alive on job (id) where state in ('WAITING', 'ASSIGNED', 'RUNNING', 'STOPPING');
create index job_by_label on job using gin (labels);

-- Read when a job is dispatched or asked for; never kept in the leader's memory.
create table job_spec (
  job_id   bigint primary key references job,
  document bytea  not null                     -- the contract's JobSpec as it was submitted
);

create table attempt (
  job_id        bigint      not null references job,
  number        integer     not null,
  tenant        text        not null,
  policy        text        not null,
  profile       text        not null,
  pool          text        not null,
  preemptible   boolean     not null,
  sequence      bigint      not null,
  epoch         bigint      not null,          -- of the leader that assigned it
  assigned_at   timestamptz not null,
  started_at    timestamptz,
  checkpoint_at timestamptz,
  stop_after_ms bigint,                        -- absent: never
  stop_cause    text,
  stop_by       bigint,                        -- the job that takes the slices
  stop_by_name  text,
  stop_rule     text,
  stop_worker   integer,                       -- the gang's worker that ended
  stop_ending   text,                          -- how that worker ended
  stop_outcome  text,
  stop_message  text,
  stop_at       timestamptz,
  skip_callback boolean     not null,
  ended_at      timestamptz,                   -- absent: live
  outcome       text,
  exit_code     integer,
  error         text,
  primary key (job_id, number)
);
-- At most one live attempt of a job, whoever writes (DESIGN 4, never twice).
create unique index attempt_live on attempt (job_id) where ended_at is null;

create table attempt_worker (
  job_id              bigint  not null,
  attempt             integer not null,
  worker              integer not null,
  node                text    not null,        -- in the attempt's tenant
  cpu_millis          bigint  not null,
  memory_bytes        bigint  not null,
  devices             integer[] not null,      -- slices, by ascending device; one entry in each array
  device_uuids        text[]    not null,
  device_units        bigint[]  not null,
  device_memory_bytes bigint[]  not null,
  status              text    not null,
  started_at          timestamptz,
  ended_at            timestamptz,
  end_reason          text,
  exit_code           integer,
  error               text,
  primary key (job_id, attempt, worker),
  foreign key (job_id, attempt) references attempt
);

create table hold (
  job_id          bigint      primary key references job,
  tenant          text        not null,
  pool            text        not null,
  rule            text        not null,
  since           timestamptz not null,
  victim_jobs     bigint[]    not null,        -- attempts asked to stop; one entry in each array
  victim_attempts integer[]   not null
);

create table hold_worker (
  job_id              bigint    not null references hold on delete cascade,
  worker              integer   not null,
  node                text      not null,
  cpu_millis          bigint    not null,
  memory_bytes        bigint    not null,
  devices             integer[] not null,
  device_uuids        text[]    not null,
  device_units        bigint[]  not null,
  device_memory_bytes bigint[]  not null,
  primary key (job_id, worker)
);

-- The narrative, in the order of decisions.
create table event (
  version    bigint      primary key,
  tenant     text        not null,
  time       timestamptz not null,
  type       text        not null,
  job_id     bigint,
  job        text        not null,             -- empty, as the following: does not apply
  attempt    integer     not null,
  queue      text        not null,
  policy     text        not null,
  pool       text        not null,
  node       text        not null,
  by_job     text        not null,
  rule       text        not null,
  message    text        not null,
  detail     text[]      not null              -- name, value, name, value, ...
);
create index event_by_tenant on event (tenant, version desc);
create index event_by_job on event (job_id, version desc) where job_id is not null;

-- Last number given to a name that was made from a prefix.
create table name_counter (
  tenant text   not null,
  prefix text   not null,
  last   bigint not null,
  primary key (tenant, prefix)
);

-- Submissions that carry a request id: a repeated one is answered with the same jobs.
create table submission_request (
  subject     text        not null,
  request_id  text        not null,
  fingerprint text        not null,            -- of the content: the same id with other content is a mistake
  jobs        bigint[]    not null,            -- in the order of the request
  created_at  timestamptz not null default now(),
  primary key (subject, request_id)
);
create index submission_request_by_age on submission_request (created_at);

-- What the last known boot of each node was: a new one proves that nothing of the old one runs.
create table node_contact (
  tenant        text        not null,
  node          text        not null,
  boot_id       text        not null,
  session_id    text        not null,
  agent_version text        not null,
  simulated     boolean     not null,
  connected_at  timestamptz not null,
  primary key (tenant, node)
);

-- The last known supply and rights, so that a restart works while their services are away.
create table catalog_source (
  source  text   primary key,
  version bigint not null
);
create table catalog_entry (
  source   text  not null,
  key      text  not null,
  document bytea not null,
  primary key (source, key)
);

-- Keys that all replicas share.
create table secret (
  name  text  primary key,
  value bytea not null
);
