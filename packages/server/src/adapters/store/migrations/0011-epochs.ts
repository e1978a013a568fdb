/**
 * How often a running call changed hands, when it began (the longest are rescued first), which form its snapshot has, and what another process
 * needs to go on with a session.
 */
export const epochs = (): string[] => [
  `alter table running_call add column epoch bigint not null default 1`,
  `alter table running_call add column started_at bigint not null default 0`,
  `alter table running_call add column version bigint not null default 1`,
  `alter table session add column state text`,
]
