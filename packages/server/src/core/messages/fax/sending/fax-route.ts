import { isOwn } from '#core/account/lines/fax-caller-id.ts'
import type { Faxline } from '#core/kernel/ports/store/line.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { DialTarget } from '#core/kernel/ports/telephony.ts'
import { behindNumber } from '#core/telephone/routing/inbound/destination.ts'
import { phonesIn } from '#core/telephone/routing/plan/phones.ts'

/** A local fax line. */
export interface LocalFaxline {
  accountId: string
  faxlineId: string
  /** Dialled number of the fax line. */
  called: string
}

/** Route of a fax to a number. */
export type FaxRoute =
  /** No call needed. */
  | { kind: 'here'; faxline: LocalFaxline }
  /** Fax machines at phone adapters ring like phones. */
  | { kind: 'phones'; phones: readonly DialTarget[] }
  | { kind: 'outside'; e164: string }
  | { kind: 'none' }

const noRoute: FaxRoute = { kind: 'none' }

export const routeTo = async (tables: Tables, e164: string): Promise<FaxRoute> => {
  const destination = await behindNumber(tables, e164)
  if (destination.kind === 'outside') return destination
  if (destination.kind !== 'extension') return noRoute
  const { accountId, extension } = destination
  switch (extension.charAt(0)) {
    case 'f': {
      const faxline = await tables.faxlines.find(accountId, extension)
      return faxline?.canReceive ? { kind: 'here', faxline: { accountId, faxlineId: extension, called: e164 } } : noRoute
    }
    case 'p':
    case 'g': {
      const phones = await phonesIn(tables, accountId, extension)
      return { kind: 'phones', phones: phones.flatMap((phone) => (phone.kind === 'device' ? [device(accountId, phone.deviceId)] : [])) }
    }
    case 'e':
    case 'y':
      return { kind: 'phones', phones: [device(accountId, extension)] }
    default:
      return noRoute
  }
}

const device = (accountId: string, deviceId: string): DialTarget => ({ kind: 'device', accountId, deviceId })

/** Sender shown to receivers: the chosen number, else one routed to the fax line, else one of its owner. */
export const senderOf = async (tables: Tables, accountId: string, { id, owner, callerId }: Faxline): Promise<string | undefined> => {
  if (callerId !== undefined && (await isOwn(tables, accountId, callerId))) return callerId
  const [direct, owners] = await Promise.all([tables.numbers.listByEndpoint(accountId, id), tables.numbers.listByUser(accountId, owner)])
  return [...direct, ...owners].find(({ e164, state }) => e164 !== undefined && state === 'ACTIVE')?.e164
}
