/** `lost`: attempts whose process died in the middle. `parked_at`: a job that is not retried until an operator revives it. */
export const lostAttempts = (): string[] => [
  `alter table job add column lost integer not null default 0`,
  `alter table job add column parked_at bigint not null default 0`,
  `alter table outbox add column lost integer not null default 0`,
]
