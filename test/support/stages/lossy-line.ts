import { lostWithProcess } from '../switchboard/lost-calls.ts'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { CarrierMessageBody } from '@offhook/contract/carrier/messages.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import type { PortingDesk } from '#core/account/portings/porting-record.ts'
import { receiveMessage } from '#core/account/portings/receive.ts'
import { OutboundFailure, type OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import { UniqueViolation, type Store } from '#core/kernel/ports/store/index.ts'
import { newWebhookSecret } from '#core/kernel/webhook/standard-webhooks.ts'
import { buildWorkers, type Workers } from '#wiring/workers.ts'
import { temporaryFolder } from '../store/databases.ts'
import { ScriptedEndpoints } from '../session/scripted-endpoint.ts'
import { ScriptedPapers } from '../ports/scripted-papers.ts'
import { ScriptedRecordings } from '../ports/scripted-recordings.ts'
import { VirtualClock } from '../clock/virtual-clock.ts'

/** What can happen to a message on its way. */
export const fates = ['through', 'lost', 'answer lost', 'twice', 'late'] as const
export type Fate = (typeof fates)[number]

/** A carrier with everything but its HTTP. */
export interface Side {
  store: Store
  desk: PortingDesk
  workers: Workers
  accountId: string
  addressId: number
  /** The last porting of the stories before this one. */
  earlier: number
}

export class Line {
  /** For the next messages; after them all get through, or none. */
  fates: Fate[] = []
  down = false
  readonly #late: (() => Promise<number>)[] = []

  /** Messages that were thought to be lost arrive after all, the last one first. */
  async deliverLate(): Promise<void> {
    for (const deliver of this.#late.splice(0).toReversed()) await deliver()
  }

  to(other: () => Side): OutboundHttp {
    return {
      request: async ({ headers = {}, body = '' }) => {
        const fate = this.fates.shift() ?? (this.down ? 'lost' : 'through')
        const deliver = () => receive(other(), headers['x-carrier-code'] ?? '', body)
        if (fate === 'late') this.#late.push(deliver)
        if (fate === 'lost' || fate === 'late') throw new OutboundFailure('connect', 'on purpose')
        const status = await deliver()
        if (fate === 'twice') await deliver()
        if (fate === 'answer lost') throw new OutboundFailure('broken', 'on purpose')
        return { status, headers: {}, body: Buffer.alloc(0) }
      },
      close: () => Promise.resolve(),
    }
  }
}

/** What the HTTP interface does with a message whose signature is right. */
const receive = async ({ store, desk, workers }: Side, from: string, body: string): Promise<number> => {
  try {
    await store.write((tables) => receiveMessage(tables, desk, { from, message: JSON.parse(body) as CarrierMessageBody }))
    return 204
  } catch (error) {
    if (error instanceof Problem) return error.status
    if (error instanceof UniqueViolation) return 409
    throw error
  } finally {
    workers.wake()
  }
}

const vault = { seal: (plain: string) => plain, open: (sealed: string) => sealed, derive: () => new Uint8Array(32) }

const openSide = async (t: TestContext, clock: VirtualClock, code: string, outbound: OutboundHttp): Promise<Side> => {
  let close: () => Promise<void> = () => Promise.resolve()
  const folder = await temporaryFolder(t, () => close())
  const store = await sqliteStore(join(folder, 'test.db'), { commitWindowMs: 0 })
  const desk = { clock, vault, carrierCode: code, publicUrl: () => 'http://localhost' }
  const mailer = { send: () => Promise.resolve() }
  const log = (): void => {}
  const endpoints = new ScriptedEndpoints()
  const lookEveryMs = 365 * 24 * 60 * 60 * 1000
  const deliverNotice = () => Promise.resolve()
  const files = new ScriptedRecordings()
  const survivor = { owner: '', renew: deliverNotice }
  const recovery = { store, clock, files, sayBye: deliverNotice, survivor, onFailure: () => {}, ...lostWithProcess }
  const recordings = { files, keptDays: 0 }
  const papers = new ScriptedPapers()
  const phones = { send: () => Promise.resolve(0) }
  const sms = {
    store,
    clock,
    wallClock: clock,
    routes: [],
    phones,
    serviceSender: '',
    country: 'DE',
    wake: () => {},
    doorHasNews: () => {},
    onRefused: () => {},
    onUnclaimed: () => {},
  }
  const workers = buildWorkers({
    store,
    clock,
    sandboxWork: [],
    callClock: clock,
    wallClock: clock,
    vault,
    mailer,
    outbound,
    endpoints,
    desk,
    sms,
    sendFax: deliverNotice,
    printer: papers,
    faxFiles: papers,
    recovery,
    recordings,
    timelineDays: undefined,
    deliverNotice,
    log,
    lookEveryMs,
  })
  close = async () => {
    await workers.close()
    await store.close()
  }
  const newAccount = { company: 'Bakery', country: 'DE', locale: 'en_US', currency: 'EUR' } as const
  const accountId = await store.write((tables) => createAccount(tables, clock, newAccount))
  workers.wake()
  return { store, desk, workers, accountId, addressId: 0, earlier: 0 }
}

/** Two carriers that know each other, with one clock and a bad line between them. */
export const openPair = async (t: TestContext, line: Line): Promise<{ clock: VirtualClock; donor: Side; recipient: Side }> => {
  const sides: Side[] = []
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 4; round++) for (const { workers } of sides) await workers.idle()
  }
  const clock = new VirtualClock(undefined, settle)
  const toRecipient = line.to(() => recipient)
  const donor = await openSide(t, clock, 'DONOR', toRecipient)
  const toDonor = line.to(() => donor)
  const recipient: Side = await openSide(t, clock, 'NEW', toDonor)
  sides.push(donor, recipient)
  const other = { url: 'http://other.example', secretSealed: newWebhookSecret() }
  await donor.store.write(({ carriers }) => carriers.insert({ code: 'NEW', name: 'New', ...other }, clock.now()))
  await recipient.store.write(({ carriers }) => carriers.insert({ code: 'DONOR', name: 'Donor', ...other }, clock.now()))
  return { clock, donor, recipient }
}
