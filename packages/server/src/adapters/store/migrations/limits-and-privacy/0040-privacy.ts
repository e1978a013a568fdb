/**
 * Exports and erasures of personal data. The subject is sealed, and deleted with the erasure; the reference is a keyed hash of it. Records
 * of erasures outlive their accounts, so neither table references them.
 */
export const privacy = (): string[] => [
  `create table data_export (
    id text primary key, account_id text not null, subject_type text not null check (subject_type in ('ACCOUNT','USER','CONTACT','NUMBER')),
    reference text not null, subject_sealed text not null, requested_by text not null, requested_at bigint not null,
    state text not null check (state in ('PENDING','BUILDING','READY','FAILED')),
    ready_at bigint, expires_at bigint not null, bytes bigint, row_count bigint, file_count bigint)`,
  `create index data_export_account on data_export (account_id, id)`,
  `create index data_export_expiry on data_export (expires_at)`,
  `create table erasure_request (
    id text primary key, account_id text not null, subject_type text not null check (subject_type in ('ACCOUNT','USER','CONTACT','NUMBER')),
    reference text not null, subject_sealed text not null, requested_by text not null, requested_at bigint not null,
    state text not null check (state in ('SCHEDULED','RUNNING','DONE','FAILED','CANCELLED')),
    due_at bigint not null, ended_at bigint, failure text, deleted_rows bigint, pseudonymized_rows bigint, deleted_files bigint)`,
  `create index erasure_request_account on erasure_request (account_id, id)`,
  `create unique index erasure_request_open on erasure_request (reference) where state in ('SCHEDULED','RUNNING')`,
]
