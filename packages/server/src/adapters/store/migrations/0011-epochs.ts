/**
 * Takeovers of a running call, its start (the longest calls are taken over first), the version of its snapshot, and the state with which
 * another node resumes a session.
 */
export const epochs = (): string[] => [
  `alter table running_call add column epoch bigint not null default 1`,
  `alter table running_call add column started_at bigint not null default 0`,
  `alter table running_call add column version bigint not null default 1`,
  `alter table session add column state text`,
]
