/** Sessions of assistants, and the log of deliveries to their endpoints. The same column rules as before; valid for both databases. */
export const assistant = (): string[] => [
  `create table session (
    id text primary key, account_id text not null references account, flow_id text not null, session text not null, started_at bigint not null,
    owner text not null, lease_until bigint not null, ended_at bigint, reason text, sequence bigint, turn bigint)`,
  `create index session_open on session (lease_until) where ended_at is null`,
  `create index session_open_owner on session (owner) where ended_at is null`,
  `create index session_ended on session (ended_at) where ended_at is not null`,
  `create table delivery (
    id text primary key, account_id text not null, flow_id text not null, session_id text not null, event_id text not null,
    event_type text not null, sequence bigint not null, turn bigint not null, attempt integer not null,
    channel text not null check (channel in ('webhook','websocket','fallback')), at bigint not null, duration_ms integer not null,
    state text not null check (state in ('delivered','failed','superseded','dead')), status integer, request_bytes integer not null,
    reply_bytes integer not null, actions text not null, problems text not null, error text)`,
  `create index delivery_flow on delivery (flow_id, id)`,
  `create index delivery_trouble on delivery (flow_id, state, id) where state <> 'delivered'`,
  `create index delivery_session on delivery (session_id, id)`,
  `create index delivery_event on delivery (event_id, id)`,
  `create index delivery_age on delivery (at)`,
]
