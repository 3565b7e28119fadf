-- Its jobs may have an image, so they go only to nodes that run such.
alter table profiles add column images boolean not null default false;
