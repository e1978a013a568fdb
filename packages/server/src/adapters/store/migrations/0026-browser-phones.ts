/**
 * Browser phones. For the previous release such a phone is a SIP phone without registrations, hence a separate column in addition to the
 * type. Push subscriptions of browsers: the id is a digest of the address, so that a browser that subscribes again has one row.
 */
export const browserPhones = (): string[] => [
  `alter table device add column browser integer not null default 0`,
  `create table push_subscription (
    id text not null, account_id text not null references account, user_ext text not null, endpoint_sealed text not null, keys_sealed text not null,
    language text not null, created_at bigint not null, primary key (account_id, user_ext, id))`,
]
