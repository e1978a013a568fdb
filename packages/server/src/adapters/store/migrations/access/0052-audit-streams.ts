/** Receivers of audit logs. `position`: seq of the last delivered entry; the audit log itself is the queue. */
export const auditStreams = (): string[] => [
  `create table audit_stream (
    account_id text not null, id text not null, kind text not null check (kind in ('WEBHOOK','SYSLOG','OTLP')), url text not null,
    secret_sealed text, position bigint not null, failures bigint not null default 0, failing_since bigint, failure text,
    created_at bigint not null, primary key (account_id, id))`,
]
