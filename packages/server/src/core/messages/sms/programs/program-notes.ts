import { randomUUID } from 'node:crypto'
import type { StoredSms } from '#core/kernel/ports/store/message.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Recurring } from '#core/kernel/work/recurring.ts'
import { overlapMs } from './program-parts.ts'

/** Maximum queued notes: a program that never connects must not fill the disk; the history has the messages anyway. */
const maxQueued = 10_000
const hour = 60 * 60 * 1000
const day = 24 * hour
const retentionMs = 7 * day
/** A message can be ordered 30 days ahead, and networks retry for days. */
const outcomeMs = 40 * day

/** Queues an inbound message for the extension's program, if it has one. Returns whether a note was queued. */
export const messageForProgram = async ({ programs }: Tables, sms: StoredSms, now: number): Promise<boolean> => {
  const { accountId, smsId, id: messageId } = sms
  if (smsId === undefined || !(await programs.findLogin(accountId, smsId))) return false
  if ((await programs.countNotes(accountId, smsId, 'MESSAGE')) >= maxQueued) return false
  const note = { id: randomUUID(), accountId, smsId, kind: 'MESSAGE', messageId, part: 0, onlyFailure: false, createdAt: now } as const
  await programs.putNote(note, now)
  return true
}

/** Called when the outcome of a message is known: the sending program gets a receipt if it requested one. */
export const outcomeForProgram = ({ programs }: Tables, sms: StoredSms, now: number): Promise<void> =>
  programs.outcomeKnown(sms.accountId, sms.id, now)

export const programSweep: Recurring = {
  kind: 'programs.sweep',
  intervalMs: hour,
  run: ({ programs }, now) => programs.removeOlderThan({ parts: now - overlapMs, told: now - retentionMs, outcomes: now - outcomeMs }),
}
