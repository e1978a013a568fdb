/**
 * What a program can ask for over MCP. An operation that names one of them belongs to it: a token with a leash may use the operation only
 * as far as the leash allows the tool.
 */
export const toolNames = [
  'list_calls',
  'read_transcript',
  'explain_call',
  'place_call',
  'send_sms',
  'list_flows',
  'get_flow',
  'edit_draft',
  'publish',
  'rollback',
  'run_tests',
  'replay',
] as const

export type ToolName = (typeof toolNames)[number]

/** They change what is said to every caller, and what an assistant may spend: only a leash that names them allows them. */
const named: readonly ToolName[] = ['edit_draft', 'publish', 'rollback']

/** What a leash allows that names no tools. */
export const usualTools: ToolName[] = toolNames.filter((name) => !named.includes(name))

/** Says with a request that the program has asked its user, who agreed; a leash may want that. */
export const confirmedHeader = 'offhook-confirmed'
