/** Numbers that accounts can order from the operator. The row stays while an account has the number, so that it can come back. */
export const numberStock = (): string[] => [
  `create table stock_number (
    id text primary key, e164 text not null unique, country text not null, area text not null, price bigint not null check (price >= 0),
    number_id text unique, free_from bigint not null, added_at bigint not null)`,
  `create index stock_number_free on stock_number (country, e164) where number_id is null`,
]
