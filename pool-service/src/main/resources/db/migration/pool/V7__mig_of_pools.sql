-- Its nodes turn MIG on where nobody uses the GPU.
alter table pools add column mig_auto boolean not null default false;
