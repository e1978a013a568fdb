import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredSms } from '#core/kernel/ports/store/message.ts'
import { DeferredError, type Task } from '#core/kernel/work/worker.ts'
import { phonesOf } from './addressee.ts'
import type { SmsParts } from '../state/sms-parts.ts'

export const phonesJob = 'sms.phones'

const minute = 60_000
/** Milliseconds a message waits for a phone to register. The history has it anyway. */
const waitForPhonesMs = 24 * 60 * minute
/** A registered phone that rejects a message will also reject more retries. */
const triesAtPhones = 3

/** Part of the transaction that stores the message. */
export const showOnPhones = async (tables: Tables, { accountId, id, createdAt }: StoredSms): Promise<void> =>
  tables.jobs.schedule({ id: `${phonesJob}:${accountId}:${id}`, kind: phonesJob, payload: { accountId, id }, dueAt: createdAt })

/** Shows an inbound message on the addressee's phones, as soon as one is registered. */
export const phonesTask =
  ({ store, clock, wallClock, phones }: SmsParts): Task =>
  async (payload, { attempts }) => {
    const { accountId, id } = payload as { accountId: string; id: string }
    const sms = await store.read.messages.find(accountId, id)
    const number = sms && (await store.read.numbers.findByE164(accountId, sms.recipient))
    if (!number) return
    const devices = await phonesOf(store.read, number)
    const age = clock.now() - sms.createdAt
    if (devices.length === 0 || age > waitForPhonesMs) return
    const there = await store.read.devices.registrations(accountId, devices, wallClock.now())
    if (there.size === 0) throw new DeferredError('no phone is registered', Math.max(minute, age / 8))
    const message = { from: sms.sender, text: sms.text }
    const taken = await Promise.all([...there.keys()].map((deviceId) => phones.send({ accountId, deviceId }, message)))
    if (taken.every((places) => places === 0) && attempts < triesAtPhones) throw new Error('no phone took the message')
  }
