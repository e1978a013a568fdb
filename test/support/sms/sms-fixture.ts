import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { createAccount, createUser } from '#core/account/accounts/create-account.ts'
import { notificationJobs } from '#core/messages/notifications/notify-of-events.ts'
import { topUp } from '#core/money/funds.ts'
import { moneyJobs } from '#core/money/jobs.ts'
import { openTariff } from '#core/money/open-tariff.ts'
import type { SmsReceiver } from '#core/kernel/ports/messages.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { NewNumber } from '#core/kernel/ports/store/number.ts'
import type { Vault } from '#core/kernel/ports/platform.ts'
import { sendSms } from '#core/messages/orders/send-sms.ts'
import { acceptSms } from '#core/messages/sms/sending/accept-sms.ts'
import { smsReceiver } from '#core/messages/sms/receiving/sms-receiver.ts'
import { smsJobs, smsRetries, smsSweeps } from '#core/messages/sms/sms-jobs.ts'
import type { SmsParts } from '#core/messages/sms/state/sms-parts.ts'
import { recurringTasks, startRecurring } from '#core/kernel/work/recurring.ts'
import { Worker } from '#core/kernel/work/worker.ts'
import { openTestStore, type Database } from '../store/databases.ts'
import { ScriptedSmsRoute } from './scripted-sms-route.ts'
import { VirtualClock } from '../clock/virtual-clock.ts'

export const euro = 10_000
/** Price of one message to a German mobile number. */
export const price = 790
export const outsideNumber = '+4915112345678'

export interface Writer {
  accountId: string
  userId: string
  smsId: string
  lineId: string
  /** Mobile number routed to the SMS extension. */
  number: string
}

export interface SmsFixture {
  store: Store
  clock: VirtualClock
  deps: SmsParts
  routes: ScriptedSmsRoute[]
  receiver: SmsReceiver
  /** Texts shown on phones. */
  shown: { deviceId: string; from: string; text: string }[]
  unclaimed: string[]
  /** Rejections reported to the operator. */
  refusals: string[]
  /** Extensions whose programs were notified of new messages. */
  programNews: (string | undefined)[]
  newWriter(): Promise<Writer>
  addNumber(writer: Writer, e164: string, more?: Partial<NewNumber>): Promise<string>
  /** Sends as over REST; returns the id of the message. */
  send(writer: Writer, input: { to: string; text?: string; sendAt?: number; id?: string }): Promise<string>
  history(writer: Writer): Promise<HistoryEntry[]>
  entry(writer: Writer, id: string): Promise<HistoryEntry>
  holds(writer: Writer): Promise<{ amount: number; reserved: number }>
  idle(): Promise<void>
  /** Worker of another process on the same database. */
  addWorker(): Worker
}

const vault: Vault = { seal: (plain) => plain, open: (sealed) => sealed, derive: () => new Uint8Array(32) }

/** The whole messaging side, real except for time, message centres and phones. */
export const openSmsFixture = async (
  t: TestContext,
  database: Database,
  { routes = [new ScriptedSmsRoute()], through = (store: Store) => store } = {},
): Promise<SmsFixture> => {
  const real = await openTestStore(t, database)
  const store = through(real)
  const workers: Worker[] = []
  const idle = async (): Promise<void> => {
    for (let round = 0; round < 3; round++) for (const worker of workers) await worker.idle()
  }
  const clock = new VirtualClock(undefined, idle)
  const wake = (): void => {
    for (const worker of workers) worker.wake()
  }
  const shown: SmsFixture['shown'] = []
  const unclaimed: string[] = []
  const refusals: string[] = []
  const programNews: (string | undefined)[] = []
  const deps: SmsParts = {
    store,
    clock,
    wallClock: clock,
    routes,
    phones: {
      async send({ deviceId }, message) {
        shown.push({ deviceId, ...message })
        return 1
      },
    },
    serviceSender: 'Offhook',
    country: 'DE',
    wake,
    programHasEvents: ({ smsId }) => programNews.push(smsId),
    onRefused: (route, why) => refusals.push(`${route}: ${why}`),
    onUnclaimed: (_, recipient) => unclaimed.push(recipient),
  }
  const addWorker = (): Worker => {
    const tasks = {
      ...smsJobs(deps),
      ...moneyJobs(store, clock),
      ...notificationJobs({ store, clock, vault, sms: deps, wake }),
      ...recurringTasks(store, clock, smsSweeps),
    }
    const queue = { store, clock, queue: (tables: Store['read']) => tables.jobs, tasks, retryAfterMs: smsRetries }
    const worker = new Worker({ ...queue, pollIntervalMs: 3_600_000, onError: () => {} })
    workers.push(worker)
    t.after(() => worker.close())
    worker.start()
    return worker
  }
  await startRecurring(real, clock, smsSweeps)
  addWorker()
  const people = new People(real, clock)
  const orders = { startCall: nothing, sendFax: nothing, sendSms: (order: Parameters<typeof acceptSms>[1]) => acceptSms(deps, order) }
  return {
    store: real,
    clock,
    deps,
    routes,
    receiver: smsReceiver(deps),
    shown,
    unclaimed,
    refusals,
    programNews,
    newWriter: () => people.newWriter(),
    addNumber: (writer, e164, more) => people.addNumber(writer, e164, more),
    async send({ accountId, userId, smsId }, { to, text = 'Hello', sendAt, id = randomUUID() }) {
      const user = { kind: 'user', accountId, userId, admin: false, scopes: [], tokenId: '' } as const
      const input = { smsId, recipient: to, message: text, ...(sendAt !== undefined && { sendAt: sendAt / 1000 }) }
      await sendSms({ store, clock, orders, wake }, user, id, input)
      return id
    },
    history: ({ accountId }) => real.read.history.list(accountId, { types: ['SMS'] }, { limit: 1000 }),
    async entry({ accountId }, id) {
      const found = await real.read.history.find(accountId, id)
      if (!found) throw new Error('there is no such entry')
      return found
    },
    async holds({ accountId }) {
      const { amount = 0, reserved = 0 } = (await real.read.balances.find(accountId)) ?? {}
      return { amount, reserved }
    },
    idle,
    addWorker,
  }
}

const nothing = (): Promise<void> => Promise.resolve()

class People {
  readonly #store: Store
  readonly #clock: VirtualClock
  #count = 0

  constructor(store: Store, clock: VirtualClock) {
    this.#store = store
    this.#clock = clock
  }

  async newWriter(): Promise<Writer> {
    const clock = this.#clock
    const n = ++this.#count
    const writer = await this.#store.write(async (tables) => {
      const accountId = await createAccount(tables, clock, { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' })
      const names = { firstname: 'Ada', lastname: `L${n}`, email: `ada${n}@example.com` }
      const userId = await createUser(tables, clock, accountId, { ...names, passwordHash: 'none', admin: true, locale: 'en_US' })
      await tables.accounts.update(accountId, { tariffId: await openTariff(tables, clock, { currency: 'EUR' }) })
      await topUp(tables, clock, { accountId, amount: euro, reason: 'cash', idempotencyKey: randomUUID(), actor: 'test' })
      const [sms] = await tables.smsLines.list(accountId, userId)
      const [line] = await tables.phonelines.list(accountId, userId)
      return { accountId, userId, smsId: sms?.id ?? '', lineId: line?.id ?? '', number: `+49157900${String(n).padStart(5, '0')}` }
    })
    await this.addNumber(writer, writer.number, { endpointId: writer.smsId })
    return writer
  }

  async addNumber({ accountId }: Writer, e164: string, more: Partial<NewNumber> = {}): Promise<string> {
    const number: NewNumber = { id: randomUUID(), e164, type: 'MOBILE', state: 'ACTIVE', createdAt: 0, ...more }
    await this.#store.write((tables) => tables.numbers.insert(accountId, number))
    return number.id
  }
}
