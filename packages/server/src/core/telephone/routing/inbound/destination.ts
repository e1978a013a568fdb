import type { CivicAddress, PretendedNumbers } from '#core/kernel/ports/telephony.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { emergencyBehindNine, emergencyNumber } from '#core/account/numbers/emergency.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Device } from '#core/kernel/ports/store/device.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { readCallee, voicemailAccess } from '#core/telephone/orders/parties.ts'

export type Destination =
  /** `location`: for the emergency services. */
  | { kind: 'emergency'; dialled: string; location?: CivicAddress }
  /** `numberId`: number of the account that was dialled. */
  | { kind: 'extension'; accountId: string; extension: string; called?: string; numberId?: string }
  | FlowDestination
  | { kind: 'outside'; e164: string }
  /** Short number of the account's country, such as 116117. */
  | { kind: 'short'; digits: string }
  /** The caller's own messages. */
  | { kind: 'messages'; called: string }
  | { kind: 'unassigned'; called: string }

interface FlowDestination {
  kind: 'flow'
  accountId: string
  flowId: string
  called: string
  numberId?: string
  /** Set when a user of the account calls from a browser. */
  userId?: string
  draft?: boolean
  pretends?: PretendedNumbers
}

/** Destination dialled by a phone of the account. Throws a Problem when it is invalid or blocked. */
export const dialledByDevice = async (tables: Tables, account: Account, device: Device, dialled: string): Promise<Destination> => {
  const bare = withoutKeys(dialled)
  const takeover = emergencyNumber(bare, account.country)
  if (takeover !== undefined) return { kind: 'emergency', dialled: takeover }
  if (dialled === voicemailAccess) return { kind: 'messages', called: dialled }
  const callee = emergencyBehindNine(bare, account.country) === undefined ? withoutAccount(account, dialled) : bare
  const { party, premium } = await readCallee(tables, account, callee, device)
  if (party.kind === 'extension') return { kind: 'extension', accountId: account.id, extension: party.id }
  if (party.kind === 'emergency') return { kind: 'emergency', dialled: party.dialled }
  if (party.kind === 'flow') throw new Problem('callee_invalid')
  if (party.kind === 'short') return party
  if (premium) throw new Problem('destination_blocked')
  return behindNumber(tables, party.e164)
}

/** Strips service codes before the number, such as *31# (withhold caller ID), and the terminating # key. */
const withoutKeys = (dialled: string): string => dialled.replace(/^[*#]\d{2,3}[*#]/, '').replace(/#$/, '')

/** SIP names of devices start with the account id; inside the account they are used without it. */
const withoutAccount = ({ id }: Account, dialled: string): string =>
  dialled.startsWith(id) && /^[a-y]\d+$/.test(dialled.slice(id.length)) ? dialled.slice(id.length) : dialled

/** Numbers in service here are reached without a trunk. */
export const behindNumber = async (tables: Tables, e164: string): Promise<Destination> => {
  const here = await tables.numbers.findCallable(e164)
  if (!here) return { kind: 'outside', e164 }
  const { id: numberId, accountId, endpointId, flowId } = here
  if (flowId !== undefined) return { kind: 'flow', accountId, flowId, called: e164, numberId }
  return endpointId === undefined
    ? { kind: 'unassigned', called: e164 }
    : { kind: 'extension', accountId, extension: endpointId, called: e164, numberId }
}

/** E.164 number, or extension of the account. */
export const behindNumberOrExtension = (tables: Tables, accountId: string, to: string): Promise<Destination> =>
  to.startsWith('+') ? behindNumber(tables, to) : Promise.resolve({ kind: 'extension', accountId, extension: to })

/** Destination dialled by a carrier: only numbers in service here, in E.164 with or without plus, or in national format. */
export const dialledByCarrier = async (tables: Tables, country: string, dialled: string): Promise<Destination> => {
  // Most carriers send E.164, and that lookup takes a thirtieth of the time parsing takes.
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
