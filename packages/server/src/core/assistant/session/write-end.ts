import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'
import { endResult } from '../results/note-result.ts'
import type { DisclosureRecord } from './disclosure.ts'
import { queueSessionEnd } from '../delivery/events/deliver-session-end.ts'
import type { AssistantChoice } from '#core/kernel/ports/store/assistant/assistant-choice.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import type { CountedResult } from '#core/kernel/ports/store/assistant/results.ts'
import type { OpenSession } from '#core/kernel/ports/store/assistant/sessions.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

export interface SessionEnd {
  id: string
  /** Who has the session. */
  owner: string
  flowId: string
  reason: SessionEndReason
  at: number
  /** None when session_start was never sent: then there is no session_end either. */
  event: OutgoingEvent | undefined
  /** None in what a version before this one left in the journal. */
  result?: Pick<OpenSession, 'accountId' | 'startedAt'> & { counted: CountedResult }
  /** Which assistant has it, unless it is an endpoint. */
  assistant?: AssistantChoice | undefined
  /** Undefined: there was none to be heard. */
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

/** As it is called in the journal. */
export const endedSession = 'session.ended'

export interface FinishedSession {
  open: OpenSession
  end: SessionEnd
  /** It was written when it began. */
  written: boolean
}

/** Part of the transaction with which a session begins. */
export const openSession = async (tables: Tables, open: OpenSession): Promise<void> => {
  await tables.sessions.open(open)
  const { id: callId, accountId, flowId, startedAt, assistant: version } = open
  if (typeof version !== 'number') return
  await tables.assistants.countCall(accountId, flowId, version)
  const published = await tables.assistants.version(accountId, flowId, version)
  await tables.results.begin({ callId, accountId, flowId, version, startedAt, webhookUrl: published?.settings.result?.webhook_url })
}

/** All of it, whatever was written of it before. */
export const writeSession = async (tables: Tables, { open, end, written }: FinishedSession): Promise<void> => {
  if (!written && !(await isKnown(tables, open))) await openSession(tables, open)
  await writeEnd(tables, end)
}

const isKnown = async ({ sessions }: Tables, { id, accountId }: OpenSession): Promise<boolean> =>
  (await sessions.findOpen(id)) !== undefined || (await sessions.findEnded(accountId, id)) !== undefined
