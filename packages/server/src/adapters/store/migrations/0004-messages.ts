/** Faxes and short messages: what is on its way, and what came. The same rules for columns as before. */
export const messages = (): string[] => [
  `create table fax (
    account_id text not null references account, id text not null, direction text not null check (direction in ('OUTGOING','INCOMING')),
    user_id text, faxline_id text not null, sender text not null, recipient text not null, filename text not null, resend_of text,
    state text not null check (state in ('PENDING','SENDING','SENT','FAILED','SCHEDULED','RECEIVED')),
    pages integer not null, pages_done integer not null, tries integer not null, talk_seconds integer not null, bit_rate integer not null,
    error_correction integer not null, carried_by text, station text not null, reason text, owner text,
    created_at bigint not null, changed_at bigint not null, due_at bigint, primary key (account_id, id))`,
  `create index fax_owner on fax (owner) where owner is not null`,
  `create index fax_age on fax (created_at)`,
  `create table sms (
    account_id text not null references account, id text not null, direction text not null check (direction in ('OUTGOING','INCOMING')),
    user_id text, sms_id text, sender text not null, recipient text not null, body text not null, segments integer not null,
    state text not null check (state in ('SCHEDULED','PENDING','SENT','DELIVERED','FAILED','RECEIVED')),
    route text, reason text, created_at bigint not null, changed_at bigint not null, send_at bigint not null, primary key (account_id, id))`,
  // What a route has taken over, by the id that it gave; ids need not be unique.
  `create table sms_part (
    account_id text not null, id text not null, number integer not null, route text not null, route_id text, state text not null,
    primary key (account_id, id, number))`,
  `create index sms_part_route on sms_part (route, route_id)`,
  // Receipts may come before the route has said which message they are about.
  `create table sms_early_receipt (
    route text not null, route_id text not null, state text not null, error text not null, at bigint not null, primary key (route, route_id))`,
  // Parts of messages that are not complete yet.
  `create table sms_fragment (
    route text not null, sender text not null, recipient text not null, reference integer not null, total integer not null,
    number integer not null, body text not null, at bigint not null,
    primary key (route, sender, recipient, reference, total, number))`,
  `create table smpp_login (
    account_id text not null references account, sms_id text not null, system_id text not null unique, hash text not null, created_at bigint not null,
    primary key (account_id, sms_id))`,
]
