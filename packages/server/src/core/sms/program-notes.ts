import { randomUUID } from 'node:crypto'
import type { StoredSms } from '../ports/store/messages.ts'
import type { Tables } from '../ports/store/index.ts'
import type { Recurring } from '../work/recurring.ts'

/** A program that never comes must not fill the disk; what it misses stands in the history all the same. */
const mostWaiting = 10_000
const hour = 60 * 60 * 1000
const kept = { notes: 7 * 24 * hour, parts: 24 * hour, done: hour }

/** A message came for an extension: its program, if it has one, is told. Gives whether there is something to tell. */
export const messageForProgram = async ({ programs }: Tables, sms: StoredSms, now: number): Promise<boolean> => {
  const { accountId, smsId, id: messageId } = sms
  if (smsId === undefined || !(await programs.findLogin(accountId, smsId))) return false
  if ((await programs.countNotes(accountId, smsId)) >= mostWaiting) return false
  const note = { id: randomUUID(), accountId, smsId, kind: 'MESSAGE', messageId, part: 0, onlyFailure: false, createdAt: now } as const
  await programs.putNote(note, now)
  return true
}

/** It is known what became of a message: the program that sent it is told, if it wanted to know. */
export const outcomeForProgram = ({ programs }: Tables, sms: StoredSms, now: number): Promise<void> =>
  programs.outcomeKnown(sms.accountId, sms.id, now)

export const programSweep: Recurring = {
  kind: 'programs.sweep',
  everyMs: hour,
  run: ({ programs }, now) => programs.removeOlderThan({ notes: now - kept.notes, parts: now - kept.parts, done: now - kept.done }),
}
