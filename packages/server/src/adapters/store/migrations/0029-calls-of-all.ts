/** Lets the operator find a call without reading its content: caller, callee, result and trunk. */
export const callsOfAll = (): string[] => [
  `alter table timeline add column source text`,
  `alter table timeline add column target text`,
  `alter table timeline add column end_reason text`,
  `alter table timeline add column trunk_id text`,
]
