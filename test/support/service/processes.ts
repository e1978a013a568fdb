import assert from 'node:assert/strict'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createClient, type Client } from '@offhook/sdk'
import { until } from '../machine/peer-process.ts'
import { LinkInThread } from '../cluster/link-in-thread.ts'
import { startNats, type NatsServer } from '../peers/nats-server.ts'
import { SipPhone, type PhoneCall } from '../phones/sip-phone.ts'
import { freshPostgres, temporaryFolder } from '../store/databases.ts'
import { startExchange, type Exchange } from './exchange.ts'

/** Programs of one installation: one PostgreSQL, one NATS. */
export interface Processes {
  readonly all: readonly Exchange[]
  readonly nats: NatsServer
  /** Client of the first one's administrator at another process. */
  admin(at: number): Client
  /** Starts one more process. */
  start(): Promise<Exchange>
  /** Starts a process that was killed again, with its folder. */
  restart(at: number): Promise<Exchange>
}

/** Ways of one process to the database and to the bus. */
export interface Links {
  store: LinkInThread
  bus: LinkInThread
}

/** Settings of a process that reaches both over links. */
const linked = async (t: TestContext, { DATABASE_URL, OFFHOOK_BUS }: { DATABASE_URL: string; OFFHOOK_BUS: string }) => {
  const over = async (address: string): Promise<{ link: LinkInThread; url: string }> => {
    const url = new URL(address)
    const link = await LinkInThread.open(t, Number(url.port))
    url.port = String(link.port)
    return { link, url: String(url).replace(/\/$/, '') }
  }
  const [store, bus] = [await over(DATABASE_URL), await over(OFFHOOK_BUS)]
  return { links: { store: store.link, bus: bus.link }, settings: { DATABASE_URL: store.url, OFFHOOK_BUS: bus.url } }
}

/** The first process has links that can break. */
export const startLinked = async (
  t: TestContext,
  count: number,
  settings: Record<string, string> = {},
): Promise<Processes & { links: Links }> => {
  let links: Links | undefined
  const processes = await startProcesses(t, count, settings, {
    async ofFirst(shared) {
      const own = await linked(t, shared)
      links = own.links
      return own.settings
    },
  })
  return Object.assign(processes, { links: links ?? assert.fail() })
}

/** Two connected phones; each sends its own tone. */
export interface Talk {
  callId: string
  caller: SipPhone
  callee: SipPhone
  atCaller: PhoneCall
  atCallee: PhoneCall
  startedAt: number
}

export const tones = { caller: 600, callee: 1100 }

interface ProcessesOptions {
  /** Each has its own data folder, as on machines of their own. Default: one for all. */
  ownFolders?: boolean
  /** Further settings of the first process. */
  ofFirst?: (shared: { DATABASE_URL: string; OFFHOOK_BUS: string }) => Promise<Record<string, string>>
}

export const startProcesses = async (
  t: TestContext,
  count: number,
  settings: Record<string, string> = {},
  { ownFolders = false, ofFirst = () => Promise.resolve({}) }: ProcessesOptions = {},
): Promise<Processes> => {
  const nats = await startNats(t)
  const secret = Buffer.alloc(32, 7).toString('base64')
  const shared = {
    DATABASE_URL: await freshPostgres(),
    OFFHOOK_SECRET_KEY: secret,
    OFFHOOK_BUS: nats.url,
    OFFHOOK_LOG: 'info',
    ...settings,
  }
  const nameOf = (at: number) => (ownFolders ? { OFFHOOK_NODE_NAME: `node-${at}` } : {})
  const all = [await startExchange(t, { ...shared, ...nameOf(0), ...(await ofFirst(shared)) })]
  const folder = async (): Promise<string> => {
    const first = all[0]?.data ?? assert.fail()
    if (!ownFolders) return first
    const own = await temporaryFolder(t)
    await copyFile(join(first, 'first-run.json'), join(own, 'first-run.json'))
    return own
  }
  const start = async (): Promise<Exchange> => {
    const one = await startExchange(t, { ...shared, ...nameOf(all.length), OFFHOOK_DATA: await folder() })
    all.push(one)
    return one
  }
  const restart = async (at: number): Promise<Exchange> =>
    (all[at] = await startExchange(t, { ...shared, ...nameOf(at), OFFHOOK_DATA: all[at]?.data ?? assert.fail(`no process ${at}`) }))
  for (let index = 1; index < count; index++) await start()
  const [first = assert.fail()] = all
  const admin = (at: number): Client => createClient({ baseUrl: all[at]?.http ?? assert.fail(`no process ${at}`), token: first.token })
  return { all, nats, admin, start, restart }
}

/** Call owned by this process. Resolves with two-way audio. */
export const talkAt = async (t: TestContext, processes: Processes, at: number): Promise<Talk> => {
  const { all } = processes
  const admin = processes.admin(at)
  const [caller, callee] = [await phoneAt(t, all, at), await phoneAt(t, all, at)]
  const known = new Set((await admin.listCalls()).data.map(({ callId }) => callId))
  const atCaller = caller.call(callee.deviceId)
  const incoming = await callee.incoming()
  await callee.accept(incoming)
  await atCaller.answered
  const startedAt = performance.now()
  caller.rtp.say(tones.caller)
  callee.rtp.say(tones.callee)
  await Promise.all([caller.rtp.hears(tones.callee), callee.rtp.hears(tones.caller)])
  const callId = (await admin.listCalls()).data.map((call) => call.callId).find((id) => !known.has(id))
  return { callId: callId ?? assert.fail('it is not listed'), caller, callee, atCaller, atCallee: incoming.call, startedAt }
}

const phoneAt = async (t: TestContext, all: readonly Exchange[], at: number): Promise<SipPhone & { deviceId: string }> => {
  const { sip } = all[at] ?? assert.fail(`no process ${at}`)
  const { deviceId, user, password } = await (all[0] ?? assert.fail()).newDevice()
  const phone = await SipPhone.open(t, { server: sip, user, password })
  assert.equal((await phone.register()).status, 200)
  return Object.assign(phone, { deviceId })
}

/** Waits until all hear each other again; returns the silence of each since its last sound. */
export const silences = async (talks: readonly Talk[], since: ReadonlyMap<SipPhone, number>): Promise<number[]> => {
  const phones = talks.flatMap(({ caller, callee }) => [
    { phone: caller, hz: tones.callee },
    { phone: callee, hz: tones.caller },
  ])
  return Promise.all(
    phones.map(async ({ phone, hz }) => {
      await until(`${hz} Hz again`, () => phone.rtp.packets.length > (since.get(phone) ?? 0) + 10)
      await phone.rtp.hears(hz)
      return longestGap(phone, Math.max((since.get(phone) ?? 1) - 1, 0))
    }),
  )
}

/** Milliseconds between two packets, starting with this one. */
export const longestGap = ({ rtp: { packets } }: SipPhone, from: number): number => {
  const times = packets.slice(from).map(({ atMs }) => atMs)
  return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)))
}

/**
 * Packets that a phone got from an earlier sender after those of a later one: each process sends from another port. 0: at no time did two
 * processes send into its call.
 */
export const doubled = ({ rtp: { packets } }: SipPhone): number => {
  const senders: number[] = []
  for (const { from } of packets) if (!senders.includes(from)) senders.push(from)
  let latest = 0
  let count = 0
  for (const { from } of packets) {
    const place = senders.indexOf(from)
    if (place < latest) count++
    latest = Math.max(latest, place)
  }
  return count
}

/** Packets received by each. */
export const heardUntilNow = (talks: readonly Talk[]): Map<SipPhone, number> =>
  heardBy(talks.flatMap(({ caller, callee }) => [caller, callee]))

export const heardBy = (phones: readonly SipPhone[]): Map<SipPhone, number> =>
  new Map(phones.map((phone) => [phone, phone.rtp.packets.length]))
