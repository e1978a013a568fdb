import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { PhoneMessages, PhoneText, TakePhoneText } from '#core/kernel/ports/sms-routes.ts'
import type { Device } from '#core/kernel/ports/store/device/devices.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { orderingAccount, type SessionParts } from '#core/money/paid-order.ts'
import { sendSms } from './send-sms.ts'
import { dialledByDevice, type Destination } from '#core/telephone/switchboard/arrive/destination.ts'
import { phonesIn } from '#core/telephone/switchboard/plan/phones.ts'

type FromPhoneParts = SessionParts & { phones: PhoneMessages }

/**
 * A text from a phone. To an extension of the account it goes from phone to phone, free, and is not kept; to a number it
 * is an SMS of the phone's owner, with the owner's sender and the account's money.
 */
export const sendFromPhone =
  (parts: FromPhoneParts): TakePhoneText =>
  async (text) => {
    const tables = parts.store.read
    const account = await orderingAccount(parts.store, text.accountId)
    const device = await tables.devices.find(account.id, text.deviceId)
    if (!device) throw new Problem('device_not_found')
    const destination = await dialledByDevice(tables, account, device, text.to)
    const number = await numberOf(tables, destination)
    if (number !== undefined) return order(parts, text, device, number)
    if (destination.kind !== 'extension') throw new Problem('callee_invalid')
    return pass(parts, text, device, destination.extension)
  }

/** Numbers of this service are the message centre's business, whatever they lead to. Undefined: phones of the account, or none. */
const numberOf = async (tables: Tables, destination: Destination): Promise<string | undefined> => {
  if (destination.kind === 'outside') return destination.e164
  if (destination.kind === 'emergency' || destination.kind === 'messages') return undefined
  if (destination.kind !== 'extension' || destination.called !== undefined) return destination.called
  return (await tables.devices.find(destination.accountId, destination.extension))?.external?.number
}

/** In the name of the phone's owner, by the first SMS extension that has a sender. */
const order = async (parts: SessionParts, text: PhoneText, { owner }: Device, recipient: string): Promise<'accepted'> => {
  const { accountId, id, text: message } = text
  const own = await parts.store.read.smsLines.list(accountId, owner)
  const sms = own.find(({ callerId }) => callerId !== undefined) ?? own[0]
  if (!sms) throw new Problem('sms_not_found')
  const user: UserCaller = { kind: 'user', accountId, userId: owner, admin: false, scopes: [], tokenId: '' }
  await sendSms(parts, user, id, { smsId: sms.id, recipient, message })
  return 'accepted'
}

/** The recipient can answer: the sender is the name of the phone. */
const pass = async ({ store, phones }: FromPhoneParts, text: PhoneText, { sip }: Device, extension: string): Promise<'delivered'> => {
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
