import { Problem } from '@offhook/contract/problem.ts'
import type { Prepaid } from '#core/telephone/call/money/prepaid.ts'
import { emergencyNumber } from '#core/account/numbers/emergency.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { CallOrder, Party } from '#core/kernel/ports/calls.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Device } from '#core/kernel/ports/store/device.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { CallerIdentity } from '#core/kernel/ports/telephony.ts'
import { voicemailAccess } from '#core/telephone/orders/parties.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import { identitiesOf, type Identities, nameOf } from '../inbound/request.ts'
import { behindNumber, type Destination } from '../inbound/destination.ts'
import { requireCarrier, orderedMeters, paidBy, type PreparedCall } from './orders.ts'
import { phonesAt, phonesOf } from '../plan/phones.ts'
import type { Phone, Plan } from '../plan/plan.ts'
import { planExtension } from '../plan/plan-place.ts'
import { carryCall } from './start-call.ts'

/** Calls the caller first, then connects the callee. Throws a Problem when that cannot even be attempted. */
export const readCallOrder = async (context: RoutingContext, order: CallOrder, money: Prepaid): Promise<PreparedCall> => {
  const { read } = context.store
  const account = await read.accounts.find(order.accountId)
  if (!account) throw new Problem('account_not_found')
  const meters = orderedMeters(money, order)
  const destination = await destinationOf(read, account, order.callee)
  const own = await callersPhones(read, account, order.caller)
  const device = await deviceOf(read, order, own)
  const seenAs = await seenByCallee(read, account, device, order)
  const elsewhere = await planElsewhere(context, account, device, { order, seenAs })
  const phones = paidBy(elsewhere ? devicesThatRing(elsewhere) : own, account.id, meters.caller)
  requireHarmless(destination, phones)
  await requireReachable(context, phones)
  await requireCarrier(context, { destination, phones })
  const to = nameOf(destination, '')
  const shown = { number: to, name: await aliasOf(read, destination), withheld: false }
  const lines = await linesOf(read, account, order.caller, device)
  const input = { order, account, device, lines, money, meters, phones, elsewhere, destination, to, shown, seenAs }
  return { from: seenAs.outside, to, carry: (call) => carryCall(context, call, input) }
}

const destinationOf = async (tables: Tables, account: Account, callee: CallOrder['callee']): Promise<Destination> => {
  switch (callee.kind) {
    case 'messages':
      return { kind: 'messages', called: voicemailAccess }
    case 'emergency':
      return { kind: 'emergency', dialled: emergencyNumber(callee.dialled, account.country) ?? callee.dialled }
    case 'number':
      return behindNumber(tables, callee.e164)
    case 'short':
      return callee
    case 'extension':
      return { kind: 'extension', accountId: account.id, extension: callee.id }
    case 'flow':
    default:
      throw new Problem('callee_invalid')
  }
}

/** Ignores DND: a user who starts a call wants the own phone to ring. */
const callersPhones = async (tables: Tables, account: Account, caller: Party): Promise<Phone[]> => {
  if (caller.kind === 'number') return phonesAt(tables, account, caller.e164)
  if (caller.kind !== 'extension') throw new Problem('caller_invalid')
  const devices = await devicesOf(tables, account, caller.id)
  return (await Promise.all(devices.map((device) => phonesOf(tables, account, device)))).flat()
}

const devicesOf = async (tables: Tables, { id: accountId }: Account, extension: string): Promise<Device[]> => {
  if (!extension.startsWith('p')) return [(await tables.devices.find(accountId, extension)) ?? missing('caller_invalid')]
  const attached = new Set((await tables.phonelines.devices(accountId, extension)).map(({ id }) => id))
  return (await tables.devices.list(accountId)).filter(({ id, external }) => attached.has(id) && !external)
}

/** The caller's number may belong to phones of another account, which are called like by any caller, following their owner's routing. */
const planElsewhere = async (
  { store, occupancy, turns, clock }: RoutingContext,
  account: Account,
  device: Device,
  { order: { caller }, seenAs }: { order: CallOrder; seenAs: Identities },
): Promise<Plan | undefined> => {
  const e164 = caller.kind === 'number' ? caller.e164 : caller.kind === 'extension' && caller.id === device.id && device.external?.number
  const there = e164 ? await behindNumber(store.read, e164) : undefined
  if (there?.kind !== 'extension' || there.accountId === account.id) return undefined
  const around = { callerOf: () => seenAs.outside, from: { accountId: account.id }, occupancy, turns, now: clock.now() }
  return planExtension(store.read, there, around)
}

/** Only phones can be the caller: neither a forwarding nor a voicemail. */
const devicesThatRing = ({ steps: [first] }: Plan): Phone[] =>
  first?.kind === 'ring' ? first.phones.filter(({ kind }) => kind === 'device') : []

const missing = (code: 'caller_invalid' | 'caller_not_reachable' | 'device_not_found'): never => {
  throw new Problem(code)
}

/** Repeats the premium check where legs are paid for, whatever the source of the number. */
const requireHarmless = (destination: Destination, phones: readonly Phone[]): void => {
  const numbers = [destination, ...phones].flatMap((one) => (one.kind === 'outside' ? one.e164 : []))
  if (numbers.some((e164) => e164.startsWith('+') && parseNumber(e164, '')?.premium)) throw new Problem('destination_blocked')
}

/** The given device, or the first of a phone line; it determines the caller ID. */
const deviceOf = async (tables: Tables, { accountId, deviceId }: CallOrder, phones: readonly Phone[]): Promise<Device> => {
  const [first] = phones
  const id = deviceId ?? (first?.kind === 'device' ? first.deviceId : missing('caller_not_reachable'))
  return (await tables.devices.find(accountId, id)) ?? missing('device_not_found')
}

const linesOf = async (tables: Tables, { id }: Account, caller: Party, device: Device): Promise<string[]> => {
  if (caller.kind === 'extension' && caller.id.startsWith('p')) return [caller.id]
  const attached = (await tables.devices.phonelines(id, [device.id])).get(device.id) ?? []
  return attached.slice(0, 1).map((line) => line.id)
}

const requireReachable = async ({ telephony }: RoutingContext, phones: readonly Phone[]): Promise<void> => {
  const reached = phones.map(async (phone) => phone.kind !== 'device' || telephony.reaches(phone.accountId, phone.deviceId))
  if (!(await Promise.all(reached)).includes(true)) missing('caller_not_reachable')
}

const seenByCallee = async (tables: Tables, account: Account, device: Device, { callerId }: CallOrder): Promise<Identities> => {
  const { inside, outside } = await identitiesOf(tables, account, device, { withheld: false })
  if (callerId === undefined) return { inside, outside }
  const chosen: CallerIdentity = { number: callerId, name: inside.name, withheld: false }
  return { inside: chosen, outside: chosen }
}

const aliasOf = async (tables: Tables, destination: Destination): Promise<string> => {
  if (destination.kind !== 'extension' || destination.called !== undefined) return ''
  return (await tables.extensions.find(destination.accountId, destination.extension))?.alias ?? ''
}
