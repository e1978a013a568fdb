/**
 * The phone in a browser. To the release before it is a SIP phone that nobody registers, hence a column of its own beside the type. Where browsers
 * are notified of calls: the id is a digest of the address, so that a browser that asks again has one row.
 */
export const browserPhones = (): string[] => [
  `alter table device add column browser integer not null default 0`,
  `create table push_subscription (
    id text not null, account_id text not null references account, user_ext text not null, endpoint_sealed text not null, keys_sealed text not null,
    language text not null, created_at bigint not null, primary key (account_id, user_ext, id))`,
]
