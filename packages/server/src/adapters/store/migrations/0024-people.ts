/** Users of an account: invitations, roles, departures, logins, and e-mail addresses to be confirmed. */
export const people = (): string[] => [
  `create table invitation (
    id text primary key, account_id text not null references account, email text not null, firstname text not null, lastname text not null,
    role text not null check (role in ('ADMIN','USER','BILLING','DEVELOPER')), line_name text not null, locale text not null,
    nonce_hash text not null unique, invited_by text not null, created_at bigint not null, expires_at bigint not null)`,
  `create unique index invitation_email on invitation (account_id, email)`,
  `create table email_change (
    nonce_hash text primary key, account_id text not null references account, user_ext text not null, email text not null,
    expires_at bigint not null)`,
  `create index email_change_user on email_change (account_id, user_ext)`,
  // Administrators are marked by their flag, because the previous version only writes that.
  `alter table app_user add column role text check (role in ('BILLING','DEVELOPER'))`,
  `alter table app_user add column inactive_at bigint`,
  `alter table app_user add column locale_chosen integer not null default 0`,
  `alter table token add column last_seen_at bigint`,
  `alter table token add column program text`,
  `alter table token add column place text`,
]
