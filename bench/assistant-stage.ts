import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { TurnTimes } from '../packages/server/src/core/session/turn-times.ts'
import { startAssistantEndpoint, type AssistantEndpoint } from '../test/support/peers/assistant-endpoint.ts'
import { startExchange, type Exchange } from '../test/support/peers/exchange.ts'
import type { Scope } from '../test/support/temporary-folder.ts'

type FlowWish = Partial<Parameters<Exchange['admin']['createFlow']>[1]>

/** The real program, a customer's endpoint in this process, and callers. */
export interface Stage {
  scope: Scope
  exchange: Exchange
  endpoint: AssistantEndpoint
  /** Of the program. */
  pid: number
  /** A number that leads to a new flow, which asks this endpoint. */
  newFlow(wish?: FlowWish): Promise<string>
  /** Ends everything; gives what the program logged of each turn. */
  close(): Promise<LoggedTurn[]>
}

export type LoggedTurn = TurnTimes & { callId: string }

export const openStage = async (reply: (event: AssistantEvent) => unknown, settings: Record<string, string>): Promise<Stage> => {
  const closing: (() => unknown)[] = []
  const scope: Scope = { after: (close) => void closing.push(close) }
  const endpoint = await startAssistantEndpoint(scope, reply)
  const exchange = await startExchange(scope, {
    OFFHOOK_EGRESS_ALLOW: endpoint.address,
    OFFHOOK_LOG: 'info',
    OFFHOOK_RATE_LIMIT: '0',
    ...settings,
  })
  const { child, stderr } = exchange.program
  // A bench that fails must not leave the program behind.
  process.once('exit', () => void child.kill('SIGKILL'))
  return {
    scope,
    exchange,
    endpoint,
    pid: child.pid ?? -1,
    async newFlow(wish) {
      const { id } = await exchange.admin.createFlow({}, { name: 'Bench', webhookUrl: endpoint.url, language: 'en-US', ...wish })
      return exchange.newNumber(id)
    },
    async close() {
      for (const close of closing.toReversed()) await close()
      return turnsIn(await stderr)
    },
  }
}

const turnsIn = (log: string): LoggedTurn[] =>
  log
    .split('\n')
    .filter((line) => line.includes('"sttFinalMs"'))
    .map((line) => JSON.parse(line) as LoggedTurn)
