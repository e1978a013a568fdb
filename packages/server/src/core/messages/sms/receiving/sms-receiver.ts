import type { InboundSms, SmsReceiver, ReceiptState, SmsReceipt } from '#core/kernel/ports/messages.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredSms, TakenPart } from '#core/kernel/ports/store/message.ts'
import { collectPart } from './collect-parts.ts'
import { numberFrom, readableSender, readableText } from '../text/readable.ts'
import type { SmsParts } from '../state/sms-parts.ts'
import { writeInboundSms } from './write-inbound-sms.ts'
import { judgeParts } from '../state/outcome.ts'

/** Handles deliveries of routes: messages for local numbers, and receipts of sent ones. */
export const smsReceiver = (deps: SmsParts): SmsReceiver => ({
  arrived: (route, sms) => arrived(deps, route, sms),
  receipt: (route, receipt) => noteReceipt(deps, route, receipt),
})

const arrived = async (deps: SmsParts, route: string, sms: InboundSms): Promise<void> => {
  const { store, clock, country } = deps
  const recipient = numberFrom(sms.recipient, country)
  if (recipient === undefined || !(await store.read.numbers.findCallable(recipient))) return deps.onUnclaimed(route, sms.recipient)
  const sender = readableSender(sms.sender, country)
  const written = await store.write(async (tables) => {
    const texts = await completeTexts(tables, route, { ...sms, sender, recipient }, clock.now())
    return writeAll(tables, { route, sender, recipient }, texts, clock.now())
  })
  for (const one of written) deps.programHasEvents(one)
  deps.wake()
}

const completeTexts = async (tables: Tables, route: string, { sender, recipient, text, of }: InboundSms, at: number): Promise<string[]> => {
  if (!of || of.total <= 1 || of.number < 1 || of.number > of.total) return [text]
  const { reference, total, number } = of
  return collectPart(tables, { route, sender, recipient, reference, total, number, text }, at)
}

interface From {
  route: string
  sender: string
  recipient: string
}

/** Part of a transaction. Skips a message for a number without a user. */
export const writeAll = async (
  tables: Tables,
  { route, sender, recipient }: From,
  texts: readonly string[],
  at: number,
): Promise<StoredSms[]> => {
  const number = await tables.numbers.findCallable(recipient)
  const written: StoredSms[] = []
  for (const text of texts) {
    const sms = number && (await writeInboundSms(tables, number, { sender, text: readableText(text), route }, at))
    if (sms) written.push(sms)
  }
  return written
}

/** Intermediate or unknown: changes nothing, and further receipts may follow. */
const isOpen = (state: ReceiptState): boolean => state === 'ENROUTE' || state === 'UNKNOWN'

/** Records the outcome of a part. A receipt that precedes the route's message id is stored until the id is known. */
const noteReceipt = async (deps: SmsParts, route: string, receipt: SmsReceipt): Promise<void> => {
  if (isOpen(receipt.state)) return
  const { recipient, ...rest } = receipt
  const known = recipient === undefined ? undefined : numberFrom(recipient, deps.country)
  const read: SmsReceipt = known === undefined ? rest : { ...rest, recipient: known }
  const sms = await deps.store.write((tables) => note(tables, deps, route, read))
  if (!sms) return
  deps.programHasEvents(sms)
  deps.wake()
}

const note = async (tables: Tables, { clock }: SmsParts, route: string, receipt: SmsReceipt): Promise<StoredSms | undefined> => {
  await tables.messages.lockRouteId(route, receipt.id)
  const open = await tables.messages.openParts(route, receipt.id)
  const candidates = open.filter(({ recipient }) => receipt.recipient === undefined || recipient === receipt.recipient)
  if (candidates.length === 0) {
    await tables.messages.keepEarlyReceipt(route, receipt, clock.now())
    return undefined
  }
  const part = meant(candidates, receipt)
  if (!part) return undefined
  const sms = await tables.messages.lock(part.accountId, part.id)
  if (!sms) return undefined
  await tables.messages.setPartState(part, receipt.state)
  await judgeParts(tables, clock, sms, await tables.messages.parts(part.accountId, part.id))
  return sms
}

/** Some message centres reuse one id for all messages. Matches the first message to that recipient; without a recipient, none. */
const meant = (candidates: readonly TakenPart[], { recipient }: SmsReceipt): TakenPart | undefined => {
  const messages = new Set(candidates.map(({ accountId, id }) => `${accountId}:${id}`))
  return messages.size === 1 || recipient !== undefined ? candidates[0] : undefined
}
