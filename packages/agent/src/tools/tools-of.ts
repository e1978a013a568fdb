import type { HttpToolSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { AgentSettings, Host } from '../host.ts'
import type { AgentClock } from '../clock.ts'
import type { Fetch } from '../outbound.ts'
import { hangUpTool, transferTool } from './call-ends.ts'
import { collectDigitsTool } from './collect-digits.ts'
import { httpTool, type HttpToolDeps } from './http-tool.ts'
import type { KeyCollector } from './key-collector.ts'
import { lookUpTool } from './look-up.ts'
import { rehearsed } from './rehearsed.ts'
import { sendSmsTool, takeMessageTool } from './messages.ts'
import type { Tool } from './tool.ts'

/** What the model of a call may ask for: what the settings name, and nothing else. */
export const toolsOf = (
  { flowId, secrets, assistant: { tools = {}, knowledge }, rehearsal }: AgentSettings,
  { host, fetch, clock }: { host: Host; fetch: Fetch; clock: AgentClock },
  sessionId: string,
  keys: KeyCollector,
): Tool[] => [
  ...(tools.hang_up === false ? [] : [hangUpTool]),
  ...(tools.transfer && tools.transfer.length > 0 ? [transferTool(tools.transfer)] : []),
  ...(tools.send_sms ? [sendSmsTool(tools.send_sms, host, sessionId)] : []),
  ...(tools.take_message ? [takeMessageTool(host, sessionId)] : []),
  ...(tools.collect_digits ? [collectDigitsTool(tools.collect_digits, keys)] : []),
  ...(knowledge && knowledge.use !== 'off' ? [lookUpTool(host, flowId, knowledge.passages ?? 4)] : []),
  ...httpTools(tools.http ?? [], { fetch, clock, secrets }, rehearsal),
]

/** In a test they answer as they did before, and nobody is asked. */
const httpTools = (settings: readonly HttpToolSettings[], deps: HttpToolDeps, rehearsal: AgentSettings['rehearsal']): Tool[] => {
  const tools = settings.map((one) => httpTool(one, deps))
  return rehearsal ? rehearsed(tools, rehearsal) : tools
}
