import assert from 'node:assert/strict'
import { Problem } from '@offhook/contract/problem.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import { describeAction, ending, nextAction, type Action, type Order, type PhoneStep } from './call-actions.ts'
import { CallModel } from './call-model.ts'
import { done, notFound, notNow, plainStatus, type PhoneBehaviour, type ModelStatus } from './model-types.ts'
import { dice } from '../chance/dice.ts'
import { customerIn, isAt, names, pairs, userOf, type TestParties, type Name } from '../routing/test-parties.ts'
import { announcedTo, heardBy, keysAt, perform } from './scripted-ears.ts'
import type { Customer, Exchange } from '../routing/scripted-exchange.ts'
import type { ScriptedLeg } from '../ports/scripted-leg.ts'

/** Allowed statuses when the call ends at the same moment. */
const inTheEnd = [done, notFound, notNow]

/** Call between scripted phones with random commands, compared with the model after each. Time advances only by the test. */
export class ScriptedCall {
  readonly #exchange: Exchange
  readonly #parties: TestParties
  readonly #seed: number
  readonly #roll: (sides: number) => number
  readonly #faults: (sides: number) => number
  readonly #pair: readonly [Name, Name]
  readonly #taken: string[] = []
  readonly #legs = new Map<string, ScriptedLeg>()
  /** Includes ended legs. */
  readonly #allLegs: ScriptedLeg[] = []
  readonly #model: CallModel
  /** Expected keys and announcements of each phone. */
  readonly #sent = new Map<string, { keys: string; announced: number }>()
  readonly #concerned = new Set<string>()
  /** Account that may or may not have been called. */
  #suspect: string | undefined
  #steps: number
  #callId = ''
  #asked: { expected: readonly number[]; got: number | undefined }[] = []
  /** Called party and its reaction. */
  #rings: { name: string; behaviour: PhoneBehaviour } | undefined
  /** Allowed numbers of recordings of each account: one requested while the call ended may not have started. */
  #recordings: ReadonlyMap<string, number>[] = []

  /** `brittle`: phones reject requests, and die during actions. */
  constructor(exchange: Exchange, parties: TestParties, seed: number, brittle: boolean) {
    this.#exchange = exchange
    this.#parties = parties
    this.#seed = seed
    this.#roll = dice(seed)
    this.#faults = brittle ? dice(seed + 1_000_000) : () => 1
    this.#steps = 5 + this.#roll(10)
    this.#pair = pairs[this.#roll(pairs.length)] ?? assert.fail()
    const everybody = names.map((name) => ({ name, account: this.#customer(name)?.accountId, number: parties[name].number }))
    this.#model = new CallModel(everybody, ...this.#pair)
    for (const { account } of this.#model.parties) if (account !== undefined) this.#concerned.add(account)
  }

  get over(): boolean {
    return this.#model.over
  }

  /** A response may take time: an announcement starts when earlier ones have ended. */
  get waits(): boolean {
    return !this.over && this.#asked.some(({ got }) => got === undefined)
  }

  dial(): void {
    const [from, to] = this.#pair
    const customer = this.#customer(from)
    const origin = customer ? ({ kind: 'device', ...customer } as const) : ({ kind: 'trunk', trunkId: 'carrier' } as const)
    const caller = { number: customer ? undefined : this.#parties.dora.number, name: '', withheld: false }
    this.#taken.push(`${from} calls ${to}`)
    this.#seat(from, this.#exchange.telephony.arrives(origin, this.#parties[to].number, { caller }))
    this.#rings = { name: to, behaviour: 'answers' }
  }

  /** Called phones react. */
  react(): void {
    if (!this.#rings || (this.over && this.#callId !== '')) return
    const { name, behaviour } = this.#rings
    const [leg, ...others] = this.#exchange.ringing.filter(({ target }) => isAt(this.#parties, name, target))
    assert.ok(leg && others.length === 0, this.#say(`${name}’s phone is to ring`))
    this.#seat(name, leg)
    this.#rings = undefined
    if (behaviour === 'busy') return leg.refuses('busy', 486)
    leg.rings()
    if (behaviour === 'answers') leg.answers()
  }

  begins(): void {
    const [call, ...others] = this.#exchange.calls.list(userOf(this.#parties.ada))
    assert.ok(call && others.length === 0, this.#say(`${others.length + (call ? 1 : 0)} calls are seen, not one`))
    this.#callId = call.callId
    this.check()
  }

  /** One step: everything concurrently, without waiting. */
  step({ mayCall }: { mayCall: boolean }): void {
    const make = this.#steps-- > 0 ? nextAction : ending
    const fits = ({ orders: asked }: Action): boolean => mayCall || asked.every(({ command }) => command.do !== 'transfer')
    let action = make(this.#model, this.#roll)
    while (!fits(action)) action = make(this.#model, this.#roll)
    const { orders, phoneActions } = action
    this.#taken.push(describeAction(action))
    const before = new Map(this.#model.recordings)
    const stubborn = this.#faults(4) === 0 ? this.#refuses(action) : undefined
    const expected = orders.map((order) => this.#expect(order, stubborn))
    for (const { name, does } of phoneActions) this.#model.phone(name, does)
    const dies = !this.over && !this.#rings && !this.#model.openTransfer && this.#faults(12) === 0
    if (dies) this.#model.over = true
    const suspect = this.over && (dies || orders.length + phoneActions.length > 1)
    if (!suspect) this.#suspect = undefined
    this.#recordings = suspect ? [before, this.#model.recordings] : [this.#model.recordings]
    this.#asked = orders.map((_, place) => ({ expected: suspect ? inTheEnd : [expected[place] ?? 0], got: undefined }))
    for (const [place, order] of orders.entries()) void this.#order(order).then((status) => this.#answered(place, status))
    for (const phoneAction of phoneActions) this.#act(phoneAction)
    if (dies) void this.#dies()
  }

  check(): void {
    for (const leg of this.#legs.values()) Reflect.deleteProperty(leg, 'hold')
    if (this.over) return
    this.#checkAnswers()
    for (const name of names) this.#checkShown(name)
    for (const [name, leg] of this.#legs) {
      assert.deepEqual(heardBy(this.#legs, leg), this.#model.hears(name), this.#say(`what ${name} hears`))
      const sent = this.#sent.get(name)
      assert.deepEqual({ keys: keysAt(leg), announced: announcedTo(leg).length }, sent, this.#say(`what ${name} was sent`))
      assert.equal(leg.over === undefined, this.#isOnTheLine(name), this.#say(`whether ${name} is on the line`))
    }
  }

  /** `history`: entries of all accounts, by account and call. */
  checkEnd(history: ReadonlyMap<string, HistoryEntry[]>): void {
    this.#checkAnswers()
    for (const leg of this.#allLegs) assert.ok(leg.over && !leg.observed, this.#say(leg.log.join()))
    const ends = this.#exchange.changes.filter(([what, { callId }]) => what === 'ended' && callId === this.#callId)
    assert.equal(ends.length, 1, this.#say('how often it ended'))
    for (const { accountId } of [this.#parties.ada, this.#parties.bob]) {
      const entries = history.get(`${accountId} ${this.#callId}`) ?? []
      const least = this.#concerned.has(accountId) && this.#suspect !== accountId ? 1 : 0
      assert.ok(entries.length >= least && entries.length <= 1, this.#say(`${entries.length} times in the history`))
      const recordings = entries[0]?.detail.recordings?.length ?? 0
      assert.ok(
        this.#recordings.some((one) => (one.get(accountId) ?? 0) === recordings),
        this.#say(`${recordings} recordings`),
      )
    }
  }

  #seat(name: string, leg: ScriptedLeg): void {
    this.#legs.set(name, leg)
    this.#allLegs.push(leg)
    this.#sent.set(name, { keys: '', announced: 0 })
  }

  #isOnTheLine(name: string): boolean {
    return this.#model.party(name) !== undefined || this.#model.openTransfer?.target.name === name
  }

  #checkAnswers(): void {
    for (const { expected, got } of this.#asked)
      assert.ok(expected.includes(got ?? 0), this.#say(`${got} was answered, not ${expected.join()}`))
  }

  #answered(place: number, status: number): void {
    const asked = this.#asked[place]
    if (asked) asked.got = status
  }

  #checkShown(name: string): void {
    const customer = this.#customer(name)
    const status = this.#model.party(name) && this.#model.status(customer?.accountId)
    // A party that has left may still see the call's data of its account.
    if (!customer || (!status && this.#model.involves(customer.accountId))) return
    const shown = this.#exchange.calls.list(userOf(customer)).map((call) => plainStatus(call.status()))
    assert.deepEqual(shown, status ? [plainStatus(status)] : ([] satisfies ModelStatus[]), this.#say(`what ${name} is shown`))
  }

  /** Expected status, and the parties that are sent or called. */
  #expect({ by, command }: Order, stubborn: string | undefined): number {
    const account = this.#customer(by)?.accountId ?? ''
    const started = this.#model.recordings.get(account)
    const status = this.#model.execute(by, command, stubborn)
    const spoken = command.do === 'record' && command.announcement && started !== this.#model.recordings.get(account)
    for (const { name } of status === done ? this.#model.parties : []) {
      const sent = this.#sent.get(name)
      if (sent && command.do === 'dtmf') sent.keys += command.sequence
      if (sent && (spoken || command.do === 'announce')) sent.announced += 1
    }
    this.#rings = this.#model.calling
    const called = this.#customer(this.#rings?.name ?? '')
    if (called && !this.#concerned.has(called.accountId)) this.#suspect = called.accountId
    if (called) this.#concerned.add(called.accountId)
    return status
  }

  async #order({ by, command }: Order): Promise<number> {
    const customer = this.#customer(by) ?? assert.fail()
    const { calls } = this.#exchange
    const asking = { userId: customer.userId, numberOf: (name: string) => this.#parties[name as Name].number }
    try {
      const find = command.do === 'hangUp' ? calls.get.bind(calls) : calls.getEstablished.bind(calls)
      await perform(find(userOf(customer), this.#callId), command, asking)
      return done
    } catch (error) {
      if (error instanceof Problem) return error.status
      throw error
    }
  }

  #act({ name, does }: PhoneStep): void {
    const leg = this.#leg(name)
    if (does === 'hangUp') leg.hangsUp()
    else if (does === 'pickUp') leg.answers()
    else if (does === 'refuse') leg.refuses('busy', 486)
    else leg.holds(does === 'hold')
  }

  /** Makes a phone reject hold or resume; returns its name. */
  #refuses({ orders, phoneActions }: Action): string | undefined {
    if (orders.length !== 1 || phoneActions.length > 0 || orders[0]?.command.do !== 'hold' || this.#model.openTransfer) return undefined
    const name = this.#somebody()
    this.#leg(name).hold = () => Promise.reject(new Error('488'))
    this.#taken.push(`  ${name} refuses`)
    return name
  }

  /** A phone dies during a request. */
  async #dies(): Promise<void> {
    const name = this.#somebody()
    this.#taken.push(`  ${name} dies`)
    for (let moments = this.#faults(8); moments > 0; moments--) await Promise.resolve()
    this.#leg(name).dies('media_timeout')
  }

  #somebody(): string {
    const { parties } = this.#model
    return parties[this.#faults(parties.length)]?.name ?? ''
  }

  #leg(name: string): ScriptedLeg {
    return this.#legs.get(name) ?? assert.fail(`${name} has no phone`)
  }

  #customer(name: string): Customer | undefined {
    return customerIn(this.#parties, name)
  }

  #say(what: string): string {
    return `OFFHOOK_DICE=${this.#seed}: ${what}\n  ${this.#taken.join('\n  ')}`
  }
}
