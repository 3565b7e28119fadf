-- In which life of its service's database a source's version was seen; empty: before this was kept,
-- so that the source is read anew.
alter table catalog_source add column incarnation text not null default '';
