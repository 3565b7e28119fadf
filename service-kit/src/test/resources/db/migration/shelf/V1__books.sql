create table books (
  id text primary key,
  pages integer not null check (pages > 0),
  written_at timestamptz not null default now()
);
