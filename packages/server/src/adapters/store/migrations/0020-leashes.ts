/** Limits of programs that act for a user. `id`: the personal token or OAuth client of the program; `rules`: in the form of the API. */
export const leashes = (): string[] => [
  `create table leash (
    account_id text not null references account, user_ext text not null, id text not null, holder text not null check (holder in ('token','client')),
    rules text not null, primary key (account_id, user_ext, id))`,
  `create index leash_holder on leash (id)`,
  // Leash of an order, and its final price. Orders settled by the previous version have no price, and the reserved amount counts.
  `alter table reservation add column leash text`,
  `alter table reservation add column paid bigint`,
  `create index reservation_leash on reservation (account_id, leash, created_at) where leash is not null`,
]
