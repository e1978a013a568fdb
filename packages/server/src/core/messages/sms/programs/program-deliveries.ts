import type { ReceiptState, SmsPart, SmsReceipt } from '#core/kernel/ports/messages.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredSms, ProgramNote } from '#core/kernel/ports/store/message.ts'
import { partsFor } from '../text/outgoing-parts.ts'
import type { Program } from './program-login.ts'

/** A delivery to a program. */
export type ProgramDelivery = { note: ProgramNote; sms: StoredSms } & ({ parts: SmsPart[] } | { receipt: SmsReceipt })

interface TakeOptions {
  now: number
  /** End of the lease. */
  until: number
  limit: number
}

/** Drops messages that are gone from the history, and outcomes that were not requested. */
export const takeDeliveries = (store: Store, { accountId, smsId }: Program, options: TakeOptions): Promise<ProgramDelivery[]> =>
  store.write(async (tables) => {
    const deliveries: ProgramDelivery[] = []
    for (const note of await tables.programs.takeNotes(accountId, smsId, options)) {
      const delivery = await describe(tables, note)
      if (delivery) deliveries.push(delivery)
      else await tables.programs.removeNote(accountId, note.id)
    }
    return deliveries
  })

const describe = async ({ messages }: Tables, note: ProgramNote): Promise<ProgramDelivery | undefined> => {
  const sms = await messages.find(note.accountId, note.messageId)
  if (!sms) return undefined
  if (note.kind === 'MESSAGE') return { note, sms, parts: partsFor({ takes: 'parts' }, sms) }
  const state = outcomeOf(sms)
  if (note.onlyFailure && state === 'DELIVERED') return undefined
  const id = note.part === 0 ? sms.id : `${sms.id}.${note.part}`
  return { note, sms, receipt: { id, state, error: '' } }
}

const failures: Record<string, ReceiptState> = { expired: 'EXPIRED', no_way: 'EXPIRED', refused: 'REJECTED', rejected: 'REJECTED' }

const outcomeOf = ({ state, reason = '' }: StoredSms): ReceiptState =>
  state === 'FAILED' ? (failures[reason] ?? 'UNDELIVERABLE') : 'DELIVERED'
