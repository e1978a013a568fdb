/** Requirements before a call is recorded: of the account (`number_id` is empty), and of single numbers. */
export const recordingRules = (): string[] => [
  `create table recording_rule (
    account_id text not null references account, number_id text not null, rule text not null check (rule in ('none','announce','consent')),
    primary key (account_id, number_id))`,
]
