import type { Session, SessionEndReason } from '@offhook/contract/assistant/session.ts'
import { endResult } from '../results/note-result.ts'
import { queueSessionEnd } from '../delivery/events/deliver-session-end.ts'
import type { AssistantChoice, CountedResult, OpenSession } from '#core/kernel/ports/store/session.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { Tables, Store } from '#core/kernel/ports/store/index.ts'
import type { Spoken } from './conversation.ts'
import type { TurnTimes } from './turn-times.ts'
import { randomUUID } from 'node:crypto'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Lease } from '#core/kernel/ports/store/work.ts'
import type { Recurring } from '#core/kernel/work/recurring.ts'

interface SessionEnd {
  id: string
  /** Process that has the session. */
  owner: string
  flowId: string
  reason: SessionEndReason
  at: number
  /** Undefined if session_start was never sent: then there is no session_end either. */
  event: OutgoingEvent | undefined
  /** Missing in journal entries of an older version. */
  result?: Pick<OpenSession, 'accountId' | 'startedAt'> & { counted: CountedResult }
  /** Assistant that has it, if it is not an endpoint. */
  assistant?: AssistantChoice | undefined
  /** Undefined if there was no disclosure. */
  disclosure?: DisclosureRecord | undefined
}

/** Closes the session and queues its session_end: both or neither, and never twice. */
export const writeEnd = async (tables: Tables, end: SessionEnd): Promise<void> => {
  const { id, owner, flowId, reason, at, event, result, assistant, disclosure } = end
  const { sequence = 0, turn = 0 } = event ?? {}
  const closed = await tables.sessions.close(id, owner, { reason, at, sequence, turn })
  if (closed && result) await endResult(tables, { callId: id, flowId, ...result }, at)
  if (closed && result && disclosure)
    await tables.audit.append(result.accountId, { at, actor: 'service', action: 'call.disclosure', target: id, detail: disclosure })
  if (closed && event) await queueSessionEnd(tables, { flowId, event, assistant }, at)
}

/** Name in the journal. */
export const endedSession = 'session.ended'

export interface FinishedSession {
  open: OpenSession
  end: SessionEnd
  /** The session was stored when it began. */
  written: boolean
}

/** Runs in the transaction that starts a session. */
export const openSession = async (tables: Tables, open: OpenSession): Promise<void> => {
  await tables.sessions.open(open)
  const { id: callId, accountId, flowId, startedAt, assistant: version } = open
  if (typeof version !== 'number') return
  await tables.assistants.countCall(accountId, flowId, version)
  const published = await tables.assistants.version(accountId, flowId, version)
  await tables.results.begin({ callId, accountId, flowId, version, startedAt, webhookUrl: published?.settings.result?.webhook_url })
}

/** Writes the whole session, independent of earlier writes. */
export const writeSession = async (tables: Tables, { open, end, written }: FinishedSession): Promise<void> => {
  if (!written && !(await isKnown(tables, open))) await openSession(tables, open)
  await writeEnd(tables, end)
}

const isKnown = async ({ sessions }: Tables, { id, accountId }: OpenSession): Promise<boolean> =>
  (await sessions.findOpen(id)) !== undefined || (await sessions.findEnded(accountId, id)) !== undefined

/** Audit record of whether the caller heard the disclosure. */
export interface DisclosureRecord {
  completed: boolean
  playedMs: number
  /** Reason for an incomplete disclosure: a transfer, or the end of the session. */
  reason?: SessionEndReason | 'transfer'
}

/** Disclosure state of a session. */
export interface SavedDisclosure {
  heard?: DisclosureRecord
}

/** The first protected speech before the caller's first turn, most likely the notice that a machine speaks. */
export class Disclosure {
  #wanted = false
  #heard: DisclosureRecord | undefined

  /** The endpoint requested a disclosure. */
  wanted(): void {
    this.#wanted = true
  }

  spoke({ protect, completed, durationMs: playedMs }: Pick<Spoken, 'protect' | 'completed' | 'durationMs'>, transferring: boolean): void {
    if (!protect || !this.#wanted || this.#heard) return
    this.#heard = { completed, playedMs, ...(!completed && transferring && { reason: 'transfer' }) }
  }

  /** The caller heard it to its end. */
  get isHeard(): boolean {
    return this.#heard?.completed === true
  }

  /** Undefined if none was requested. */
  get saved(): SavedDisclosure | undefined {
    return this.#wanted ? { ...(this.#heard && { heard: this.#heard }) } : undefined
  }

  /** Resumes after a takeover. */
  resume(saved: SavedDisclosure | undefined): void {
    this.#wanted = saved !== undefined
    this.#heard = saved?.heard
  }

  /** Returns the record at the end of the session. */
  record(reason: SessionEndReason): DisclosureRecord | undefined {
    if (!this.#wanted) return undefined
    const heard = this.#heard ?? { completed: false, playedMs: 0 }
    return heard.completed ? heard : { reason, ...heard }
  }
}

/** Counts of a session. After a takeover they start again. */
export class SessionCounts {
  #interruptions = 0
  readonly #firstSounds: number[] = []

  turn({ firstSoundMs }: TurnTimes): void {
    if (firstSoundMs !== undefined) this.#firstSounds.push(firstSoundMs)
  }

  spoke({ cutBy }: Pick<Spoken, 'cutBy'>): void {
    if (cutBy) this.#interruptions++
  }

  /** `turns`: total of all processes. */
  counted(session: {
    startedAt: number
    at: number
    reason: SessionEndReason
    turns: number
    transferredTo: string | undefined
  }): CountedResult {
    const { startedAt, at, reason: endReason, turns, transferredTo } = session
    const firstSoundMs = this.#median
    return {
      durationMs: Math.max(0, Math.round(at - startedAt)),
      endReason,
      turns,
      interruptions: this.#interruptions,
      ...(transferredTo !== undefined && { transferredTo }),
      ...(firstSoundMs !== undefined && { firstSoundMs }),
    }
  }

  get #median(): number | undefined {
    const sorted = this.#firstSounds.toSorted((a, b) => a - b)
    const middle = sorted[Math.floor((sorted.length - 1) / 2)]
    return middle === undefined ? undefined : Math.round(middle)
  }
}

const day = 24 * 60 * 60 * 1000
/** Days in which its session_end can be redelivered. */
const retentionDays = 30

export const sessionSweep: Recurring = {
  kind: 'session.sweep',
  intervalMs: day,
  run: ({ sessions }, now) => sessions.removeClosedBefore(now - retentionDays * day),
}

/** Fields of the session that its result shows. */
export const namedBy = ({ variables, correlation_id: correlationId }: Session): Pick<CountedResult, 'variables' | 'correlationId'> => ({
  ...(variables && { variables }),
  ...(correlationId !== undefined && { correlationId }),
})

/** Runs in a transaction: ends a session whose process is gone. */
const endLostSession = (tables: Tables, open: OpenSession, at: number, reason: SessionEndReason = 'service_failure') => {
  const { id: sessionId, owner, accountId, flowId, session, startedAt, assistant } = open
  // The number of events is unknown; no session has this many.
  const sequence = Math.ceil((at - startedAt) / 10) + 1
  const body = { type: 'session_end', session, reason } as const
  const event: OutgoingEvent = { id: randomUUID(), sessionId, accountId, sequence, turn: sequence, body }
  const counted = {
    durationMs: Math.max(0, Math.round(at - startedAt)),
    endReason: reason,
    turns: 0,
    interruptions: 0,
    ...namedBy(session),
  }
  return writeEnd(tables, { id: sessionId, owner, flowId, event, reason, at, assistant, result: { accountId, startedAt, counted } })
}

/** Runs in the transaction that ends a call whose process is gone. */
export const endLostSessionOf = async (tables: Tables, callId: string, at: number, reason: SessionEndReason): Promise<void> => {
  for (const session of await tables.sessions.listOpenOfCall(callId)) await endLostSession(tables, session, at, reason)
}

interface EndSessionsDeps {
  store: Store
  clock: Clock
  /** Called after an insert into the outbox. */
  wake: () => void
}

const batchSize = 50

/** Ends sessions of a dead process whose calls are not in the store. Returns true if there may be more. */
export const endLostSessions = async ({ store, clock, wake }: EndSessionsDeps, lease: Lease): Promise<boolean> => {
  const ended = await store.write(async (tables) => {
    if (!(await tables.leases.lock(lease))) return 0
    const left = await tables.sessions.listOpenOf(lease.owner, batchSize)
    for (const session of left) await endLostSession(tables, session, clock.now())
    return left.length
  })
  if (ended > 0) wake()
  return ended === batchSize
}
