-- What a program says of itself through its agent. checkpoint_at is there since V1.
alter table attempt add column checkpoint_mark bigint not null default 0;  -- tells checkpoint_at's checkpoint; 0: none
alter table attempt add column done_permyriad integer;                     -- 0 to 10000; absent: it has not said
alter table attempt add column progress_message text;
alter table attempt add column progress_at timestamptz;                    -- when that was heard
