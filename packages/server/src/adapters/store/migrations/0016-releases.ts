/** To which release the schema was brought, and the oldest release whose processes can work with it. */
export const releases = (): string[] => [
  `create table schema_release (id integer primary key, newest integer not null, min_reader integer not null)`,
  `insert into schema_release (id, newest, min_reader) values (1, 1, 1)`,
]
