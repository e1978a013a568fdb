import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import { longestSms } from '@offhook/contract/v1/sessions.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { ProgramPart, ProgramDeps } from '#core/kernel/ports/store/message.ts'
import type { SessionDeps } from '#core/money/paid-order.ts'
import { sendSms } from './send-sms.ts'
import type { Program } from '../sms/programs/program-login.ts'
import { placePart } from '../sms/programs/program-parts.ts'

/** A program's submission: a message, or one part of it. */
export interface ProgramInput {
  /** Sender as written; empty: the extension's default sender. */
  sender: string
  recipient: string
  text: string
  of?: { reference: number; total: number; number: number }
  receipt: 'never' | 'always' | 'failure'
  /** Seconds since the epoch. */
  sendAt?: number
}

/** Enough for the longest text of emoji only. */
const maxParts = 46
/** Maximum incomplete messages: they are free until they are complete. */
const maxQueued = 2_000

/** Returns the id that receipts will name. Throws a Problem on rejection. */
export const submitFromProgram = async (deps: SessionDeps, program: Program, input: ProgramInput): Promise<string> => {
  const { text, of } = input
  if (text === '' || text.includes('\0')) throw Problem.field('message', 'must be a text')
  if (!of) {
    const messageId = randomUUID()
    await order(deps, program, { ...input, messageId })
    return messageId
  }
  if (of.total > maxParts) throw Problem.field('message', `has more than ${maxParts} parts`)
  const key = keyOf(program, input, of)
  const { messageId, whole } = await deps.store.write((tables) => keepPart(tables, key, { ...input, of }, deps.clock.now()))
  if (whole !== undefined) await orderWhole(deps, program, key, { ...input, text: whole, messageId })
  return `${messageId}.${of.number}`
}

type Of = NonNullable<ProgramInput['of']>

const keyOf = ({ accountId, smsId }: Program, { sender, recipient }: ProgramInput, { reference, total }: Of): ProgramDeps => ({
  accountId,
  smsId,
  sender,
  recipient,
  reference,
  total,
})

/** Returns the text when the message is complete and not ordered yet. */
const keepPart = async (
  tables: Tables,
  key: ProgramDeps,
  { text, of, receipt }: ProgramInput & { of: Of },
  now: number,
): Promise<{ messageId: string; whole: string | undefined }> => {
  await tables.accounts.lock(key.accountId)
  const present = await tables.programs.parts(key)
  const { parts, begins, repeated } = placePart(present, { number: of.number, total: of.total, text }, now, randomUUID)
  const { messageId, doneAt } = parts[0]!
  if (begins) await forget(tables, key, present)
  if (!repeated) {
    if ((await tables.programs.countParts(key.accountId, key.smsId)) >= maxQueued) throw new Problem('rate_limited')
    await promiseReceipt(tables, key, { messageId, part: of.number, receipt }, now)
  }
  for (const part of parts) if (begins || part.number === of.number) await tables.programs.putPart(key, part)
  const isWhole = parts.length === of.total && doneAt === undefined
  return { messageId, whole: isWhole ? parts.map((one) => one.text).join('') : undefined }
}

/** Also drops the receipt of an incomplete message: it would never come. */
const forget = async (tables: Tables, key: ProgramDeps, [first]: readonly ProgramPart[]): Promise<void> => {
  await tables.programs.removeParts(key)
  if (first && first.doneAt === undefined) await tables.programs.removeNotesOf(key.accountId, first.messageId)
}

/** A rejected message is kept: its last part may be repeated once there are funds. A repeated order after a crash is the same order. */
const orderWhole = async (
  deps: SessionDeps,
  program: Program,
  key: ProgramDeps,
  input: ProgramInput & { messageId: string },
): Promise<void> => {
  await send(deps, program, input)
  await deps.store.write((tables) => tables.programs.finishParts(key, input.messageId, deps.clock.now()))
}

/** Stores the receipt request first: local delivery is immediate. */
const order = async (deps: SessionDeps, program: Program, input: ProgramInput & { messageId: string }): Promise<void> => {
  const { messageId, receipt } = input
  await deps.store.write((tables) => promiseReceipt(tables, program, { messageId, part: 0, receipt }, deps.clock.now()))
  try {
    await send(deps, program, input)
  } catch (error) {
    if (receipt !== 'never') await deps.store.write((tables) => tables.programs.removeNotesOf(program.accountId, messageId))
    throw error
  }
}

const promiseReceipt = async (
  { programs }: Tables,
  { accountId, smsId }: { accountId: string; smsId: string },
  { messageId, part, receipt }: { messageId: string; part: number; receipt: ProgramInput['receipt'] },
  createdAt: number,
): Promise<void> => {
  if (receipt === 'never') return
  const note = {
    id: randomUUID(),
    accountId,
    smsId,
    kind: 'RECEIPT',
    messageId,
    part,
    onlyFailure: receipt === 'failure',
    createdAt,
  } as const
  await programs.putNote(note, undefined)
}

/** Same rules and charges as over REST: on behalf of the extension's owner. */
const send = async (deps: SessionDeps, { accountId, smsId }: Program, input: ProgramInput & { messageId: string }): Promise<void> => {
  const { messageId, sender, recipient, text, sendAt } = input
  if (Array.from(text).length > longestSms) throw Problem.field('message', `must have at most ${longestSms} characters`)
  const sms = await deps.store.read.smsLines.find(accountId, smsId)
  if (!sms) throw new Problem('sms_not_found')
  const user: UserCaller = { kind: 'user', accountId, userId: sms.owner, admin: false, scopes: [], tokenId: '' }
  await sendSms(deps, user, messageId, {
    smsId,
    recipient,
    message: text.toWellFormed(),
    ...(sender !== '' && { sender }),
    ...(sendAt !== undefined && { sendAt }),
  })
}
