/** Earlier settings of a flow, with author and time; without its key and secrets. */
export const flowChanges = (): string[] => [
  `create table flow_version (
    flow_id text not null references flow on delete cascade, version integer not null, account_id text not null references account,
    name text not null, settings text not null, author text, at bigint not null, primary key (flow_id, version))`,
  `create index flow_version_account on flow_version (account_id)`,
]
