import type { PretendedNumbers } from '#core/kernel/ports/telephony.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { emergencyNumber } from '#core/account/numbers/emergency.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Device } from '#core/kernel/ports/store/device/devices.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { readCallee, voicemailAccess } from '#core/telephone/orders/parties.ts'

/** Who is called. */
export type Destination =
  | { kind: 'emergency'; dialled: string }
  /** `numberId`: the number of the account that led there. */
  | { kind: 'extension'; accountId: string; extension: string; called?: string; numberId?: string }
  | FlowDestination
  | { kind: 'outside'; e164: string }
  /** The caller's own messages. */
  | { kind: 'messages'; called: string }
  | { kind: 'unassigned'; called: string }

interface FlowDestination {
  kind: 'flow'
  accountId: string
  flowId: string
  called: string
  numberId?: string
  /** A user of the account calls it from a browser. */
  userId?: string
  draft?: boolean
  pretends?: PretendedNumbers
}

/** What a phone of the account dialled. Throws a Problem when it is no number or may not be called. */
export const dialledByDevice = async (tables: Tables, account: Account, device: Device, dialled: string): Promise<Destination> => {
  const takeover = emergencyNumber(withoutKeys(dialled), account.country)
  if (takeover !== undefined) return { kind: 'emergency', dialled: takeover }
  if (dialled === voicemailAccess) return { kind: 'messages', called: dialled }
  const { party, premium } = await readCallee(tables, account, withoutAccount(account, dialled), device)
  if (party.kind === 'extension') return { kind: 'extension', accountId: account.id, extension: party.id }
  if (party.kind === 'flow' || party.kind === 'emergency') throw new Problem('callee_invalid')
  if (premium) throw new Problem('destination_blocked')
  return behindNumber(tables, party.e164)
}

/** What phones send around a number: codes that hide the caller's (*31#) before it, the key that says it is complete after it. */
const withoutKeys = (dialled: string): string => dialled.replace(/^[*#]\d{2,3}[*#]/, '').replace(/#$/, '')

/** SIP names of devices begin with the account; inside of it they are known without. */
const withoutAccount = ({ id }: Account, dialled: string): string =>
  dialled.startsWith(id) && /^[a-y]\d+$/.test(dialled.slice(id.length)) ? dialled.slice(id.length) : dialled

/** What is in service here is reached without a carrier. */
export const behindNumber = async (tables: Tables, e164: string): Promise<Destination> => {
  const here = await tables.numbers.findCallable(e164)
  if (!here) return { kind: 'outside', e164 }
  const { id: numberId, accountId, endpointId, flowId } = here
  if (flowId !== undefined) return { kind: 'flow', accountId, flowId, called: e164, numberId }
  return endpointId === undefined
    ? { kind: 'unassigned', called: e164 }
    : { kind: 'extension', accountId, extension: endpointId, called: e164, numberId }
}

/** A number in E.164, or an extension of the account. */
export const behindNumberOrExtension = (tables: Tables, accountId: string, to: string): Promise<Destination> =>
  to.startsWith('+') ? behindNumber(tables, to) : Promise.resolve({ kind: 'extension', accountId, extension: to })

/** What a carrier sends us: only numbers that are in service here. Written in E.164, with or without plus, or as in our country. */
export const dialledByCarrier = async (tables: Tables, country: string, dialled: string): Promise<Destination> => {
  // Most carriers write it in full, and looking that up takes a thirtieth of the time that reading it takes.
  const inFull = dialled.startsWith('+') ? await inServiceHere(tables, dialled) : undefined
  if (inFull) return inFull
  const parsed = parseNumber(dialled, country)?.e164
  const spelled = /^\+?(\d{5,15})$/.exec(dialled)?.[1]
  for (const e164 of new Set([parsed, spelled && `+${spelled}`])) {
    const destination = e164 && e164 !== dialled ? await inServiceHere(tables, e164) : undefined
    if (destination) return destination
  }
  return { kind: 'unassigned', called: parsed ?? dialled }
}

const inServiceHere = async (tables: Tables, e164: string): Promise<Destination | undefined> => {
  const destination = await behindNumber(tables, e164)
  return destination.kind === 'outside' ? undefined : destination
}
