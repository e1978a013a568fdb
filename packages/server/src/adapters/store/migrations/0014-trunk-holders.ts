/** The node that registers at a carrier, the expiry of its claim, and the result. */
export const trunkHolders = (): string[] => [
  `create table trunk_holder (
    trunk_id text primary key references trunk on delete cascade, owner text not null, until bigint not null, state text not null)`,
]
