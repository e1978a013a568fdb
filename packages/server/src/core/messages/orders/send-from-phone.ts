import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { PhoneMessages, PhoneText, TakePhoneText } from '#core/kernel/ports/messages.ts'
import type { Device } from '#core/kernel/ports/store/device.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { orderingAccount, type SessionDeps } from '#core/money/paid-order.ts'
import { sendSms } from './send-sms.ts'
import { dialledByDevice, type Destination } from '#core/telephone/routing/inbound/destination.ts'
import { phonesIn } from '#core/telephone/routing/plan/phones.ts'

type FromPhoneDeps = SessionDeps & { phones: PhoneMessages }

/**
 * A text from a phone. To an extension of the account it goes from phone to phone, free and unstored; to a number it
 * is an SMS of the phone's owner, with the owner's sender and charged to the account.
 */
export const sendFromPhone =
  (deps: FromPhoneDeps): TakePhoneText =>
  async (text) => {
    const tables = deps.store.read
    const account = await orderingAccount(deps.store, text.accountId)
    const device = await tables.devices.find(account.id, text.deviceId)
    if (!device) throw new Problem('device_not_found')
    const destination = await dialledByDevice(tables, account, device, text.to)
    const number = await numberOf(tables, destination)
    if (number !== undefined) return order(deps, text, device, number)
    if (destination.kind !== 'extension') throw new Problem('callee_invalid')
    return pass(deps, text, device, destination.extension)
  }

/** Local numbers go through the SMS service, whatever they are routed to. Undefined: phones of the account, or none. */
const numberOf = async (tables: Tables, destination: Destination): Promise<string | undefined> => {
  if (destination.kind === 'outside') return destination.e164
  if (destination.kind === 'emergency' || destination.kind === 'short' || destination.kind === 'messages') return undefined
  if (destination.kind !== 'extension' || destination.called !== undefined) return destination.called
  return (await tables.devices.find(destination.accountId, destination.extension))?.external?.number
}

/** On behalf of the phone's owner, by the first SMS extension with a sender. */
const order = async (deps: SessionDeps, text: PhoneText, { owner }: Device, recipient: string): Promise<'accepted'> => {
  const { accountId, id, text: message } = text
  const own = await deps.store.read.smsLines.list(accountId, owner)
  const sms = own.find(({ callerId }) => callerId !== undefined) ?? own[0]
  if (!sms) throw new Problem('sms_not_found')
  const user: UserCaller = { kind: 'user', accountId, userId: owner, admin: false, scopes: [], tokenId: '' }
  await sendSms(deps, user, id, { smsId: sms.id, recipient, message })
  return 'accepted'
}

/** The sender is the phone's user name, so that the recipient can answer. */
const pass = async ({ store, phones }: FromPhoneDeps, text: PhoneText, { sip }: Device, extension: string): Promise<'delivered'> => {
  const { accountId } = text
  const ids = /^[pg]/.test(extension) ? await attached(store.read, accountId, extension) : [extension]
  const others = ids.filter((id) => id !== text.deviceId)
  const message = { from: sip?.username ?? text.deviceId, text: text.text }
  const taken = await Promise.all(others.map((deviceId) => phones.send({ accountId, deviceId }, message)))
  if (!taken.some((places) => places > 0))
    throw new Problem('line_unavailable', 'The recipient has no phone that takes messages at the moment.')
  return 'delivered'
}

const attached = async (tables: Tables, accountId: string, extension: string): Promise<string[]> =>
  (await phonesIn(tables, accountId, extension)).flatMap((phone) => (phone.kind === 'device' ? [phone.deviceId] : []))
