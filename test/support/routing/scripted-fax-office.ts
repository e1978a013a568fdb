import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { FaxSender } from '#core/messages/fax/sending/fax-sender.ts'
import { faxJobs } from '#core/messages/fax/fax-jobs.ts'
import type { LocalFaxline } from '#core/messages/fax/sending/fax-route.ts'
import { moneyJobs } from '#core/money/jobs.ts'
import type { Fax } from '#core/kernel/ports/store/message.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import { resendFax, sendFax, type FaxInput } from '#core/messages/orders/send-fax.ts'
import { Worker } from '#core/kernel/work/worker.ts'
import type { Database } from '../store/databases.ts'
import { ScriptedAssistant } from './scripted-assistant.ts'
import { userOf } from './test-parties.ts'
import { Exchange, openExchange, outsideNumber, type Customer } from './scripted-exchange.ts'
import type { ScriptedFaxLeg } from '../ports/scripted-fax-leg.ts'
import { emptyPdf, type ScriptedPapers } from '../ports/scripted-papers.ts'

/** Customer with a fax line. */
export interface Sender extends Customer {
  faxlineId: string
}

/** Price of a fax to `stranger` per started minute. */
export const minutePrice = 190

/** Fax sending on a real store, with scripted fax machines and virtual time. */
export class FaxOffice {
  readonly exchange: Exchange
  readonly papers: ScriptedPapers
  readonly sender: FaxSender
  /** Faxes delivered without a call. */
  readonly delivered: { fax: Fax; faxline: LocalFaxline }[] = []
  deliveryFails = false
  readonly #worker: Worker
  #gone = false

  constructor(exchange: Exchange) {
    this.exchange = exchange
    this.papers = exchange.papers
    const { watched: store, clock, telephony, leases, failures } = exchange
    this.sender = new FaxSender({
      store,
      clock,
      telephony,
      leases,
      files: this.papers,
      printer: this.papers,
      deliverHere: async (fax, faxline) => {
        if (this.deliveryFails) throw new Error('the disk is full')
        this.delivered.push({ fax, faxline })
      },
      wake: () => this.#worker.wake(),
      onFailure: (error) => failures.push(error),
    })
    this.#worker = new Worker({
      store,
      clock,
      queue: (tables) => tables.jobs,
      tasks: { ...faxJobs({ store, clock, printer: this.papers, send: (name) => this.sender.send(name) }), ...moneyJobs(store, clock) },
      retryAfterMs: [60_000],
      pollIntervalMs: 60_000,
      onError: (_, error) => failures.push(error),
    })
    this.#worker.start()
  }

  async newSender(options: { money?: number } = {}): Promise<Sender> {
    const customer = await this.exchange.newCustomer(options)
    const [faxline] = await this.exchange.store.read.faxlines.listByOwner(customer.accountId, customer.userId)
    return { ...customer, faxlineId: faxline?.id ?? assert.fail('no fax line') }
  }

  /** Queues a fax and starts it; returns its id. */
  async send(
    sender: Sender,
    { pages = 1, id = randomUUID(), ...input }: Partial<FaxInput> & { pages?: number; id?: string } = {},
  ): Promise<string> {
    const { faxlineId } = sender
    const full = { faxlineId, recipient: outsideNumber, filename: 'letter.pdf', base64Content: emptyPdf(pages), ...input }
    await this.#settled(sendFax({ ...this.#sessions(), othersTurn: () => Promise.resolve() }, userOf(sender), id, full))
    return id
  }

  async resend(sender: Sender, faxId: string, id: string = randomUUID()): Promise<string> {
    await this.#settled(resendFax(this.#sessions(), userOf(sender), id, { faxId, faxlineId: sender.faxlineId }))
    return id
  }

  async fax({ accountId }: Sender, id: string): Promise<Fax> {
    return (await this.exchange.store.read.faxes.find(accountId, id)) ?? assert.fail('there is no such fax')
  }

  async entry({ accountId }: Sender, id: string): Promise<HistoryEntry> {
    return (await this.exchange.store.read.history.find(accountId, id)) ?? assert.fail('there is no such entry')
  }

  /** The only ringing or answered leg. */
  get leg(): ScriptedFaxLeg {
    const [leg, ...others] = this.legs
    assert.ok(leg, 'nobody is called')
    assert.equal(others.length, 0, 'several are called')
    return leg
  }

  get legs(): ScriptedFaxLeg[] {
    return this.exchange.telephony.faxed.filter(({ over }) => !over)
  }

  /** The fax machine answers and accepts this many pages. */
  async answer(pages = 0, secondsPerPage = 30): Promise<ScriptedFaxLeg> {
    const { leg } = this
    leg.answers()
    await this.exchange.rest()
    for (let page = 0; page < pages; page++) {
      await this.exchange.seconds(secondsPerPage)
      leg.confirms()
    }
    await this.exchange.rest()
    return leg
  }

  /** Processes due faxes, as after a start. */
  async wake(): Promise<void> {
    this.#worker.wake()
    await this.exchange.rest()
  }

  /** Simulates a crash. */
  crash(): void {
    this.#gone = true
    this.exchange.crash()
  }

  async close(): Promise<void> {
    if (this.#gone) return
    await this.sender.close()
    await this.#worker.close()
  }

  #sessions() {
    const { watched: store, clock, callRouter } = this.exchange
    const orders = {
      startCall: callRouter.startCall.bind(callRouter),
      sendFax: this.sender.accept.bind(this.sender),
      sendSms: () => Promise.reject(new Error('no message centre')),
    }
    return { store, clock, orders, wake: () => this.#worker.wake() }
  }

  async #settled(work: Promise<void>): Promise<void> {
    await work
    await this.exchange.rest()
  }
}

/** Another process on the same database and the same disk. */
export const anotherOffice = (t: TestContext, { exchange, papers }: FaxOffice): FaxOffice => {
  const another = new FaxOffice(new Exchange(exchange.store, new ScriptedAssistant()))
  for (const [name, content] of papers.files) another.papers.files.set(name, content)
  t.after(async () => {
    await another.close()
    await another.exchange.close()
  })
  return another
}

export const openFaxOffice = async (t: TestContext, { database = 'sqlite' }: { database?: Database } = {}): Promise<FaxOffice> => {
  let office: FaxOffice | undefined
  t.after(() => office?.close())
  const exchange = await openExchange(t, { database })
  office = new FaxOffice(exchange)
  await exchange.addTrunk()
  return office
}
