/** Second factor of users and operators, by the subject of their tokens. */
export const secondFactor = (): string[] => [
  `create table totp (
    subject text primary key, secret_sealed text not null, last_counter bigint not null, created_at bigint not null, confirmed_at bigint)`,
  `create table recovery_code (subject text not null, hash text not null, used_at bigint, primary key (subject, hash))`,
  `alter table account add column second_factor integer not null default 0`,
]
