/** The release of the schema, and the oldest release that can work with it. */
export const releases = (): string[] => [
  `create table schema_release (id integer primary key, newest integer not null, min_reader integer not null)`,
  `insert into schema_release (id, newest, min_reader) values (1, 1, 1)`,
]
