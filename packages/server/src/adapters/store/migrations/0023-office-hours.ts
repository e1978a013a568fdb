/**
 * Opening hours of an account and the routing outside of them. `override`: the switch for the day. `target`: a line, group, number or flow;
 * its rules are deleted with it.
 */
export const officeHours = (): string[] => [
  `create table schedule (
    id text primary key, account_id text not null references account, name text not null, time_zone text not null, week text not null,
    days text not null, override text, updated_at bigint not null)`,
  `create index schedule_account on schedule (account_id, name)`,
  `create table routing (
    account_id text not null references account, target text not null, rules text not null, overflow text not null,
    primary key (account_id, target))`,
]
