/** Passkeys, by the subject of the tokens of a user or operator like the rest of the second factor, and the signed challenges. */
export const passkeys = (): string[] => [
  `create table passkey (
    id text primary key, subject text not null, site text not null, credential_id text not null unique, public_key text not null,
    counter bigint not null, transports text not null, name text not null, created_at bigint not null, last_used_at bigint)`,
  `create index passkey_subject on passkey (subject)`,
  `create table spent_challenge (hash text primary key, expires_at bigint not null)`,
]
