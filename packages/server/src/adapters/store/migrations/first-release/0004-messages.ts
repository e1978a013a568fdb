/** Sent and received faxes and SMS. The same column rules as before. */
export const messages = (): string[] => [
  `create table fax (
    account_id text not null references account, id text not null, direction text not null check (direction in ('OUTGOING','INCOMING')),
    user_id text, faxline_id text not null, sender text not null, recipient text not null, filename text not null, resend_of text,
    state text not null check (state in ('PENDING','SENDING','SENT','FAILED','SCHEDULED','RECEIVED')),
    pages integer not null, pages_done integer not null, tries integer not null, talk_seconds integer not null, bit_rate integer not null,
    error_correction integer not null, carried_by text, station text not null, reason text, owner text, answered_at bigint, dialog text,
    created_at bigint not null, changed_at bigint not null, due_at bigint, bytes bigint not null default 0, primary key (account_id, id))`,
  `create index fax_state on fax (account_id, state)`,
  `create index fax_owner on fax (owner) where owner is not null`,
  `create index fax_age on fax (created_at)`,
  `create table sms (
    account_id text not null references account, id text not null, direction text not null check (direction in ('OUTGOING','INCOMING')),
    listed integer not null, user_id text, sms_id text, sender text not null, recipient text not null, body text not null, segments integer not null,
    state text not null check (state in ('SCHEDULED','PENDING','SENT','DELIVERED','FAILED','RECEIVED')), route text, reason text,
    created_at bigint not null, changed_at bigint not null, send_at bigint not null, give_up_at bigint not null, primary key (account_id, id))`,
  `create index sms_scheduled on sms (account_id) where state = 'SCHEDULED'`,
  `create index sms_age on sms (changed_at) where state not in ('SCHEDULED','PENDING')`,
  // Parts accepted by a route, by the route's id; ids need not be unique.
  `create table sms_part (
    account_id text not null, id text not null, number integer not null, route text not null, route_id text not null, state text not null,
    primary key (account_id, id, number), foreign key (account_id, id) references sms on delete cascade)`,
  `create index sms_part_route on sms_part (route, route_id)`,
  // Receipts may precede the route's id for their message. Without a recipient: for any message with this id.
  `create table sms_early_receipt (
    route text not null, route_id text not null, recipient text not null, state text not null, error text not null, at bigint not null,
    primary key (route, route_id, recipient))`,
  // Messages of several parts: the texts by number, as JSON. Complete ones are kept for a while, since parts may come twice.
  `create table sms_fragment (
    route text not null, sender text not null, recipient text not null, reference integer not null, total integer not null,
    parts text not null, at bigint not null, done_at bigint, primary key (route, sender, recipient, reference, total))`,
  `create table smpp_login (
    account_id text not null references account, sms_id text not null, system_id text not null unique, hash text not null, created_at bigint not null,
    primary key (account_id, sms_id))`,
  // Parts of long messages that customers' programs have not yet submitted completely.
  `create table smpp_part (
    account_id text not null references account, sms_id text not null, sender text not null, recipient text not null,
    reference integer not null, total integer not null, number integer not null, message_id text not null, body text not null, at bigint not null,
    done_at bigint, primary key (account_id, sms_id, sender, recipient, reference, total, number))`,
  // Messages and receipts for those programs. Without a time: sent once the outcome of the message is known.
  `create table smpp_note (
    account_id text not null references account, id text not null, sms_id text not null, kind text not null check (kind in ('MESSAGE','RECEIPT')),
    message_id text not null, part integer not null, only_failure integer not null, created_at bigint not null, due_at bigint,
    primary key (account_id, id))`,
  `create index smpp_note_due on smpp_note (account_id, sms_id, due_at)`,
  `create index smpp_note_message on smpp_note (account_id, message_id)`,
  // Notifications now refer to the history entry, no longer to the call.
  `insert into job (id, kind, payload, due_at, leased_until, attempts)
    select 'event.tell:' || entry.account_id || ':' || entry.id, 'event.tell',
      '{"accountId":"' || entry.account_id || '","entryId":"' || entry.id || '"}', job.due_at, 0, job.attempts
    from job join history_entry entry on job.id = 'missed.tell:' || entry.account_id || ':' || entry.type || ':' || entry.session_id`,
  `delete from job where kind = 'missed.tell'`,
  // Codes that could not be sent: they have expired by now.
  `delete from outbox where kind = 'sms'`,
]
