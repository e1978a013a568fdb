/** Which process registers at a carrier, until when unless it says so again, and what came of it. */
export const trunkHolders = (): string[] => [
  `create table trunk_holder (
    trunk_id text primary key references trunk on delete cascade, owner text not null, until bigint not null, state text not null)`,
]
