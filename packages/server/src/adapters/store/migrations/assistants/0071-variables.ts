/** Variables of assistants' calls: defaults of a number, and what a call had; and the client's own name of a call. */
export const variables = (): string[] => [
  `alter table phone_number add column variables text`,
  `alter table call_result add column variables text`,
  `alter table call_result add column correlation_id text`,
  `alter table history_entry add column correlation_id text`,
  `create index history_entry_correlation on history_entry (account_id, correlation_id) where correlation_id is not null`,
]
