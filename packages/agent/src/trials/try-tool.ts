import type { ToolTried } from '../channel.ts'
import { problemsOf } from '@offhook/sdk/tool-arguments.ts'
import type { AgentClock } from '../clock.ts'
import type { AgentSettings } from '../host.ts'
import type { Fetch } from '../outbound.ts'
import { requestOf, send, shownHeaders } from '../tools/http-tool.ts'

/** As calls from somewhere look. */
const session = {
  id: '00000000-0000-4000-8000-000000000000',
  account_id: '0000000',
  phone_number: '4930000000',
  from_phone_number: '491570000000',
  to_phone_number: '4930000000',
}

/** Calls one of the own HTTP tools as in a call, and tells what went to and fro. */
export const tryTool = async (
  { fetch, clock }: { fetch: Fetch; clock: AgentClock },
  { secrets, assistant }: AgentSettings,
  name: string,
  args: Record<string, unknown>,
): Promise<ToolTried> => {
  const settings = assistant.tools?.http?.find((tool) => tool.name === name)
  if (!settings) throw new Error(`there is no tool ${name}`)
  const wrong = settings.parameters && problemsOf(settings.parameters, args)
  if (wrong !== undefined) return { ok: false, ms: 0, problem: `The arguments do not fit: ${wrong}` }
  const parts = { fetch, clock, secrets }
  const request = requestOf(settings, parts, { args, session, turn: 1, callId: 'test' })
  const started = clock.elapsed()
  const { status, code, content, response } = await send(settings, parts, request, new AbortController().signal)
  const ms = Math.round(clock.elapsed() - started)
  return {
    ok: status === 'ok',
    ms,
    request: { url: request.url, headers: shownHeaders(settings, request), body: request.body ?? '' },
    ...(code !== undefined && { response: { status: code, body: response.slice(response.indexOf('\n') + 1) } }),
    ...(status !== 'ok' && { problem: (content as { error: string }).error }),
  }
}
