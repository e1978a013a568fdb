import type { InboundSms, SmsReceiver } from '#core/kernel/ports/sms-routes.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredSms } from '#core/kernel/ports/store/message/messages.ts'
import { collectPart } from './collect-parts.ts'
import { noteReceipt } from './note-receipt.ts'
import { numberFrom, readableSender, readableText } from '../text/readable.ts'
import type { SmsParts } from '../state/sms-parts.ts'
import { writeInboundSms } from './write-inbound-sms.ts'

/** Takes what routes deliver: messages for numbers here, and receipts of those that were sent. */
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

/** Part of a transaction. A message for a number without a user is not written. */
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
