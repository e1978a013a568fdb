import assert from 'node:assert/strict'
import { Problem } from '@offhook/contract/problem.ts'
import type { RunningCall } from '../../packages/server/src/core/call/calls.ts'
import type { UserCaller } from '../../packages/server/src/core/identity/caller.ts'
import type { HistoryEntry } from '../../packages/server/src/core/ports/store/history.ts'
import { describeAction, ending, nextAction, type Action, type Order, type PhoneDeed } from './call-actions.ts'
import { CallModel, done, notFound, notNow, plainStatus, type Command, type Heard, type ModelStatus } from './call-model.ts'
import { dice } from './dice.ts'
import type { Customer, Exchange } from './scripted-exchange.ts'
import type { ScriptedLeg } from './scripted-telephony.ts'

/** Who takes part; dora is in another network. */
export interface Cast {
  ada: Customer
  bob: Customer
  dora: { number: string }
}

type Name = keyof Cast

const pairs: readonly (readonly [Name, Name])[] = [
  ['ada', 'bob'],
  ['bob', 'ada'],
  ['dora', 'ada'],
  ['ada', 'dora'],
]
/** What may be answered when the call ends in the same moment. */
const inTheEnd = [done, notFound, notNow]

/** A call between scripted phones with random commands, held against the model after each. Nothing takes time but what the test says. */
export class ScriptedCall {
  readonly #exchange: Exchange
  readonly #cast: Cast
  readonly #seed: number
  readonly #roll: (sides: number) => number
  readonly #faults: (sides: number) => number
  readonly #names: readonly [Name, Name]
  readonly #trail: string[] = []
  readonly #legs = new Map<string, ScriptedLeg>()
  readonly #model: CallModel
  #steps: number
  #callId = ''
  #keys = ''
  #asked: { expected: readonly number[]; got: number | undefined }[] = []
  /** How many recordings there may be of each account: one that was asked for while the call ended may not have begun. */
  #recordings: ReadonlyMap<string, number>[] = []

  /** `brittle`: phones refuse, and die in the middle of something. */
  constructor(exchange: Exchange, cast: Cast, seed: number, brittle: boolean) {
    this.#exchange = exchange
    this.#cast = cast
    this.#seed = seed
    this.#roll = dice(seed)
    this.#faults = brittle ? dice(seed + 1_000_000) : () => 1
    this.#steps = 4 + this.#roll(5)
    this.#names = pairs[this.#roll(pairs.length)] ?? assert.fail()
    this.#model = new CallModel(this.#names.map((name) => ({ name, account: this.#customer(name)?.accountId, number: cast[name].number })))
  }

  get over(): boolean {
    return this.#model.over
  }

  dial(): void {
    const [from, to] = this.#names
    const customer = this.#customer(from)
    const origin = customer ? ({ kind: 'device', ...customer } as const) : ({ kind: 'trunk', trunkId: 'carrier' } as const)
    const caller = { number: customer ? undefined : this.#cast.dora.number, name: '', withheld: false }
    this.#trail.push(`${from} calls ${to}`)
    this.#legs.set(from, this.#exchange.telephony.arrives(origin, this.#cast[to].number, { caller }))
  }

  pickUp(): void {
    const [, to] = this.#names
    const [leg, ...others] = this.#exchange.ringing.filter(({ target }) => this.#isAt(to, target))
    assert.ok(leg && others.length === 0, this.#say('one phone is to ring'))
    this.#legs.set(to, leg)
    leg.answers()
  }

  begins(): void {
    const [call, ...others] = this.#exchange.calls.list(userOf(this.#cast.ada))
    assert.ok(call && others.length === 0, this.#say('one call is to be seen'))
    this.#callId = call.callId
    this.check()
  }

  /** One step: all at once, nothing waited for. */
  step(): void {
    const action = this.#steps-- > 0 ? nextAction(this.#model, this.#roll) : ending(this.#model, this.#roll)
    const { orders, deeds } = action
    this.#trail.push(describeAction(action))
    const before = new Map(this.#model.recordings)
    const stubborn = this.#faults(4) === 0 ? this.#refuses(action) : undefined
    const expected = orders.map(({ by, command }) => this.#model.obey(by, command, stubborn))
    for (const { name, does } of deeds) this.#model.phone(name, does)
    const dies = !this.over && this.#faults(12) === 0
    if (dies) this.#model.over = true
    const doubtful = this.over && (dies || orders.length + deeds.length > 1)
    this.#recordings = doubtful ? [before, this.#model.recordings] : [this.#model.recordings]
    this.#asked = orders.map((_, place) => ({ expected: doubtful ? inTheEnd : [expected[place] ?? 0], got: undefined }))
    for (const [place, order] of orders.entries()) void this.#order(order).then((status) => this.#answered(place, status))
    for (const deed of deeds) this.#act(deed)
    if (dies) void this.#dies()
  }

  check(): void {
    for (const leg of this.#legs.values()) Reflect.deleteProperty(leg, 'hold')
    if (this.over) return
    this.#checkAnswers()
    for (const { name, account } of this.#model.parties) {
      assert.deepEqual(this.#shownTo(name), account === undefined ? [] : [this.#model.status(account)].map(plain), this.#say('what is shown'))
      assert.deepEqual(this.#heardBy(name), this.#model.hears(name), this.#say(`what ${name} hears`))
      const keys = this.#leg(name).log.filter((what) => what.startsWith('dtmf')).map((what) => what.slice(5))
      assert.equal(keys.join(''), this.#keys, this.#say(`keys at ${name}`))
    }
  }

  /** `history`: of all accounts, by account and call. */
  checkEnd(history: ReadonlyMap<string, HistoryEntry[]>): void {
    this.#checkAnswers()
    for (const leg of this.#legs.values()) assert.ok(leg.over && !leg.observed, this.#say(leg.log.join()))
    const ends = this.#exchange.changes.filter(([what, { callId }]) => what === 'ended' && callId === this.#callId)
    assert.equal(ends.length, 1, this.#say('how often it ended'))
    for (const account of this.#model.accounts) {
      const entries = history.get(`${account} ${this.#callId}`) ?? []
      assert.equal(entries.length, 1, this.#say('how often it is in the history'))
      const recordings = entries[0]?.detail.recordings?.length ?? 0
      assert.ok(this.#recordings.some((one) => (one.get(account) ?? 0) === recordings), this.#say(`${recordings} recordings`))
    }
  }

  #checkAnswers(): void {
    for (const { expected, got } of this.#asked) assert.ok(expected.includes(got ?? 0), this.#say(`${got} was answered, not ${expected.join()}`))
  }

  #answered(place: number, status: number): void {
    const asked = this.#asked[place]
    if (asked) asked.got = status
  }

  async #order({ by, command }: Order): Promise<number> {
    if (command.do === 'dtmf') this.#keys += command.sequence
    const customer = [this.#cast.ada, this.#cast.bob].find(({ accountId }) => accountId === by) ?? assert.fail()
    try {
      const { calls } = this.#exchange
      await perform(command.do === 'hangUp' ? calls.get(userOf(customer), this.#callId) : calls.getEstablished(userOf(customer), this.#callId), command)
      return done
    } catch (error) {
      if (error instanceof Problem) return error.status
      throw error
    }
  }

  #act({ name, does }: PhoneDeed): void {
    if (does === 'hangUp') this.#leg(name).hangsUp()
    else this.#leg(name).holds(does === 'hold')
  }

  /** A phone refuses to be held, or to be taken back; the name of it. */
  #refuses({ orders, deeds }: Action): string | undefined {
    if (orders.length !== 1 || deeds.length > 0 || orders[0]?.command.do !== 'hold') return undefined
    const name = this.#names[this.#faults(2)] ?? ''
    this.#leg(name).hold = () => Promise.reject(new Error('488'))
    this.#trail.push(`  ${name} refuses`)
    return name
  }

  /** A phone is gone while something is being asked of it. */
  async #dies(): Promise<void> {
    const name = this.#names[this.#faults(2)] ?? ''
    this.#trail.push(`  ${name} dies`)
    for (let moments = this.#faults(8); moments > 0; moments--) await Promise.resolve()
    this.#leg(name).dies('media_timeout')
  }

  #shownTo(name: string): ModelStatus[] {
    const customer = this.#customer(name)
    return customer ? this.#exchange.calls.list(userOf(customer)).map((call) => plain(call.status())) : []
  }

  /** From what its leg was told; who is told to wait hears music and says nothing. */
  #heardBy(name: string): Heard {
    const leg = this.#leg(name)
    if (leg.heldByPeer) return { voices: [], rest: 'nothing' }
    if (isHeld(leg) || leg.playing.some(({ sound }) => 'music' in sound)) return { voices: [], rest: 'music' }
    const heard = leg.hears.filter((other) => !isHeld(other) && !other.heldByPeer)
    return { voices: [...this.#legs].filter(([, other]) => heard.includes(other)).map(([one]) => one), rest: 'nothing' }
  }

  #leg(name: string): ScriptedLeg {
    return this.#legs.get(name) ?? assert.fail(`${name} has no phone`)
  }

  #customer(name: string): Customer | undefined {
    return name === 'ada' || name === 'bob' ? this.#cast[name] : undefined
  }

  #isAt(name: Name, target: ScriptedLeg['target']): boolean {
    if (target?.kind === 'trunk') return target.number === this.#cast[name].number
    return target?.accountId === this.#customer(name)?.accountId
  }

  #say(what: string): string {
    return `OFFHOOK_DICE=${this.#seed}: ${what}\n  ${this.#trail.join('\n  ')}`
  }
}

const plain = (status: ModelStatus | undefined): ModelStatus => plainStatus(status ?? assert.fail())

const userOf = ({ accountId, userId }: Customer): UserCaller => ({ accountId, userId }) as UserCaller

const isHeld = ({ log }: ScriptedLeg): boolean => log.findLast((what) => what.startsWith('hold ')) === 'hold true'

const perform = (call: RunningCall, command: Command): Promise<void> => {
  switch (command.do) {
    case 'hold':
      return call.hold(command.value)
    case 'mute':
      return call.mute(command.value)
    case 'record':
      return call.record(command.value, command)
    case 'dtmf':
      return call.sendDtmf(command.sequence)
    case 'hangUp':
    default:
      return call.hangUp()
  }
}
