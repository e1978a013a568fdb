import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Client } from '@offhook/sdk'
import { until } from '../machine/peer-process.ts'
import type { Scope } from '../machine/temporary-folder.ts'
import { SipPhone, type PhoneCall } from '../phones/sip-phone.ts'
import type { Exchange, SipLogin } from '../service/exchange.ts'

const tones = { desk: 440, door: 620 }

/** Two phones of one account, for the lifetime of an installation. */
export interface Office {
  desk: SipLogin
  door: SipLogin
}

export const openOffice = async (exchange: Exchange): Promise<Office> => ({
  desk: await exchange.newDevice(),
  door: await exchange.newDevice(),
})

export interface Talk {
  desk: SipPhone
  door: SipPhone
  calling: PhoneCall
  called: PhoneCall
  callId: string
}

const registered = async (t: Scope, server: string, { user, password }: SipLogin, hz: number): Promise<SipPhone> => {
  const phone = await SipPhone.open(t, { server, user, password })
  assert.equal((await phone.register()).status, 200, 'its password is still known')
  phone.rtp.say(hz)
  return phone
}

/** Call from desk to door with two-way audio. */
export const talk = async (t: Scope, { sip, admin }: Pick<Exchange, 'sip' | 'admin'>, office: Office): Promise<Talk> => {
  const [desk, door] = [await registered(t, sip, office.desk, tones.desk), await registered(t, sip, office.door, tones.door)]
  const before = new Set((await admin.listCalls()).data.map(({ callId }) => callId))
  const calling = desk.call(office.door.deviceId)
  const incoming = await door.incoming()
  await door.accept(incoming)
  assert.equal((await calling.answered).status, 200)
  await haveTwoWayAudio({ desk, door })
  const { callId } = await until('the call', async () => (await admin.listCalls()).data.find((call) => !before.has(call.callId)))
  return { desk, door, calling, called: incoming.call, callId }
}

/** From now on, regardless of earlier sound. */
export const haveTwoWayAudio = async ({ desk, door }: Pick<Talk, 'desk' | 'door'>): Promise<void> => {
  for (const { rtp } of [desk, door]) rtp.forget()
  await Promise.all([desk.rtp.hears(tones.door), door.rtp.hears(tones.desk)])
}

/** Resolves when the call is in the history. */
export const recordedCall = async (t: Scope, exchange: Pick<Exchange, 'sip' | 'admin'>, office: Office): Promise<string> => {
  const { admin } = exchange
  const call = await talk(t, exchange, office)
  const { callId } = call
  await admin.recordCall({ callId }, { value: true, announcement: false })
  await haveTwoWayAudio(call)
  await call.calling.session.end()
  await until('the recording in the history', async () =>
    (await historyOf(admin)).some((entry) => entry.callId === callId && entry.recordings?.length),
  )
  return callId
}

type HistoryEntry = Awaited<ReturnType<Client['listOwnHistory']>>['items'][number]

export const historyOf = async (admin: Client): Promise<HistoryEntry[]> => (await admin.listOwnHistory({ limit: 1000 })).items

/** Data that must be the same in another process, or after a restore; without signed URLs, which differ. */
export interface Books {
  history: unknown[]
  ledger: unknown
  contacts: unknown[]
  /** SHA-256 of the sound, by recording. */
  recordings: Record<string, string>
}

export const recordsOf = async (admin: Client, http: string): Promise<Books> => {
  const entries = await historyOf(admin)
  const recordings: Record<string, string> = {}
  for (const { id, url } of entries.flatMap((entry) => entry.recordings ?? [])) {
    const reply = await fetch(new URL(new URL(url).pathname + new URL(url).search, http))
    assert.equal(reply.status, 200, `recording ${id}`)
    recordings[id] = createHash('sha256')
      .update(Buffer.from(await reply.arrayBuffer()))
      .digest('hex')
  }
  return {
    history: entries.map(withoutUrls).toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
    ledger: await admin.readLedger({ limit: 1000 }),
    contacts: (await admin.listContacts()).items,
    recordings,
  }
}

const withoutUrls = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, inside: unknown) => (/url$/i.test(name) ? undefined : inside)))

/** Logs in with name and password. */
export const logIn = async (
  http: string,
  { email = '', password = '' }: { email?: string | undefined; password?: string | undefined },
): Promise<number> => {
  const body = JSON.stringify({ username: email, password })
  return (await fetch(`${http}/v1/authorization/token`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status
}
