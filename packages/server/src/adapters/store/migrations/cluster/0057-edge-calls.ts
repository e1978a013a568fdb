/** The edge may ask several processes for one call. `edge_call` identifies it, so that an account has one entry. */
export const edgeCalls = (): string[] => [
  `alter table history_entry add column edge_call text`,
  `create unique index history_entry_edge_call on history_entry (account_id, edge_call) where edge_call is not null`,
]
