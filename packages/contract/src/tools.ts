/**
 * Tools for programs over MCP. An operation that names one belongs to it: a token with a leash may use the operation only as far as the
 * leash allows the tool.
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

/** They change the speech to every caller and the spending of an assistant: only a leash that names them allows them. */
const named: readonly ToolName[] = ['edit_draft', 'publish', 'rollback']

/** Tools allowed by a leash that names none. */
export const usualTools: ToolName[] = toolNames.filter((name) => !named.includes(name))

/** Marks a request as confirmed by the user; a leash may require that. */
export const confirmedHeader = 'offhook-confirmed'
