import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredSms, TakenPart } from '#core/kernel/ports/store/message/messages.ts'
import type { ReceiptState, SmsReceipt } from '#core/kernel/ports/sms-routes.ts'
import { judgeParts } from '../state/outcome.ts'
import { numberFrom } from '../text/readable.ts'
import type { SmsParts } from '../state/sms-parts.ts'

/** On its way, or unknown: that changes nothing, and more may come. */
const isOpen = (state: ReceiptState): boolean => state === 'ENROUTE' || state === 'UNKNOWN'

/** The outcome of a part. A receipt may come before the route has named its message: then it waits for that. */
export const noteReceipt = async (deps: SmsParts, route: string, receipt: SmsReceipt): Promise<void> => {
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

/** Some message centres give all messages the same id. The first message to that recipient is meant; without a recipient, none. */
const meant = (candidates: readonly TakenPart[], { recipient }: SmsReceipt): TakenPart | undefined => {
  const messages = new Set(candidates.map(({ accountId, id }) => `${accountId}:${id}`))
  return messages.size === 1 || recipient !== undefined ? candidates[0] : undefined
}
