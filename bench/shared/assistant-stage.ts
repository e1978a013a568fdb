import { setTimeout as sleep } from 'node:timers/promises'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { TurnTimes } from '#core/assistant/session/turn-times.ts'
import { startAssistantEndpoint, type AssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { cpuSeconds } from './child.ts'
import { openScope } from './scope.ts'

type FlowInput = Partial<Parameters<Exchange['admin']['createFlow']>[1]>

/** The real program, a customer's endpoint in this process, and callers. */
export interface Stage {
  scope: Scope
  exchange: Exchange
  endpoint: AssistantEndpoint
  /** Process id of the program. */
  pid: number
  /** Creates a flow that calls this endpoint, and returns a number routed to it. */
  newFlow(input?: FlowInput): Promise<string>
  /** Resolves when the program is idle: everything that new flows need is loaded. */
  idle(): Promise<void>
  /** Ends everything; returns the turns that the program logged. */
  close(): Promise<LoggedTurn[]>
}

export type LoggedTurn = TurnTimes & { callId: string }

/** One turn of a caller as seen by the endpoint, with the program's log of it. Times are performance.now(). */
export interface SeenTurn extends LoggedTurn {
  /** Arrival of the words. */
  webhookAt: number
  /** Last voiced sample and end of turn as the program determined them. */
  speechEndedAt: number
  decidedAt: number
}

export const openStage = async (reply: (event: AssistantEvent) => unknown, settings: Record<string, string>): Promise<Stage> => {
  const scope = openScope()
  const endpoint = await startAssistantEndpoint(scope, reply)
  const exchange = await startExchange(scope, {
    OFFHOOK_EGRESS_ALLOW: endpoint.address,
    OFFHOOK_LOG: 'info',
    OFFHOOK_RATE_LIMIT: '0',
    ...settings,
  })
  const { child, stderr } = exchange.program
  // A failing bench must not leave the program running.
  process.once('exit', () => void child.kill('SIGKILL'))
  return {
    scope,
    exchange,
    endpoint,
    pid: child.pid ?? -1,
    async newFlow(input) {
      const { id } = await exchange.admin.createFlow({}, { name: 'Bench', webhookUrl: endpoint.url, language: 'en-US', ...input })
      return exchange.newNumber(id)
    },
    idle: () => idle(child.pid ?? -1),
    async close() {
      await scope.end()
      return turnsIn(await stderr)
    },
  }
}

const idleShare = 0.05

const idle = async (pid: number): Promise<void> => {
  for (;;) {
    const before = cpuSeconds(pid)
    await sleep(1000)
    if (cpuSeconds(pid) - before < idleShare) return
  }
}

/**
 * Joins both. The program's clock offset follows from the answer: its event says when the sound began, the log how long that was after the last
 * voiced sample. Turns without an audible answer are missing.
 */
export const seenTurns = ({ events }: AssistantEndpoint, logged: readonly LoggedTurn[]): SeenTurn[] => {
  const key = (session: string, turn: unknown): string => `${session} ${Number(turn)}`
  const heard = new Map<string, number>()
  const sounded = new Map<string, number>()
  for (const { at, headers, body } of events) {
    const turn = key(body.session.id, headers['x-offhook-turn'])
    if (body.type === 'user_speak') heard.set(turn, at)
    if (body.type === 'assistant_speak' && !sounded.has(turn)) sounded.set(turn, body.speech_started_at - performance.timeOrigin)
  }
  return logged.flatMap((one) => {
    const webhookAt = heard.get(key(one.callId, one.turn))
    const soundedAt = sounded.get(key(one.callId, one.turn))
    if (webhookAt === undefined || soundedAt === undefined || one.firstSoundMs === undefined) return []
    const speechEndedAt = soundedAt - one.firstSoundMs
    return [{ ...one, webhookAt, speechEndedAt, decidedAt: speechEndedAt + one.decidedMs }]
  })
}

const turnsIn = (log: string): LoggedTurn[] =>
  log
    .split('\n')
    .filter((line) => line.includes('"sttFinalMs"'))
    .map((line) => JSON.parse(line) as LoggedTurn)
