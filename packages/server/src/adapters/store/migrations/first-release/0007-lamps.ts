/** BLF and MWI subscriptions, so that they are notified again after a restart. The same column rules as before. */
export const lamps = (): string[] => [
  `create table sip_subscription (
    id text primary key, account_id text not null references account, device text not null,
    kind text not null check (kind in ('messages','calls')), name text not null, way text not null, place text not null,
    expires_at bigint not null)`,
  `create index sip_subscription_place on sip_subscription (place)`,
]
