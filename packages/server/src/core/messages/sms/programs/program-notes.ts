import { randomUUID } from 'node:crypto'
import type { StoredSms } from '#core/kernel/ports/store/message/messages.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Recurring } from '#core/kernel/work/recurring.ts'
import { overlapMs } from './program-parts.ts'

/** A program that never comes must not fill the disk; what it misses stands in the history all the same. */
const maxQueued = 10_000
const hour = 60 * 60 * 1000
const day = 24 * hour
const retentionMs = 7 * day
/** A message can be ordered 30 days ahead, and networks try for days. */
const outcomeMs = 40 * day

/** A message came for an extension: its program, if it has one, is told. Gives whether there is something to tell. */
export const messageForProgram = async ({ programs }: Tables, sms: StoredSms, now: number): Promise<boolean> => {
  const { accountId, smsId, id: messageId } = sms
  if (smsId === undefined || !(await programs.findLogin(accountId, smsId))) return false
  if ((await programs.countNotes(accountId, smsId, 'MESSAGE')) >= maxQueued) return false
  const note = { id: randomUUID(), accountId, smsId, kind: 'MESSAGE', messageId, part: 0, onlyFailure: false, createdAt: now } as const
  await programs.putNote(note, now)
  return true
}

/** The outcome of a message is known: the program that sent it gets a receipt, if it asked for one. */
export const outcomeForProgram = ({ programs }: Tables, sms: StoredSms, now: number): Promise<void> =>
  programs.outcomeKnown(sms.accountId, sms.id, now)

export const programSweep: Recurring = {
  kind: 'programs.sweep',
  everyMs: hour,
  run: ({ programs }, now) => programs.removeOlderThan({ parts: now - overlapMs, told: now - retentionMs, outcomes: now - outcomeMs }),
}
