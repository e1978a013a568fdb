// test: chance
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dice } from '#test/chance/dice.ts'
import { adminOf } from '#test/routing/flow-calls.ts'
import { openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { transferring, type Asked } from '#test/routing/transfers.ts'
import type { RunningCall } from '#core/telephone/call/state/calls.ts'
import { wholeSeconds } from '#core/telephone/call/money/prepaid.ts'

const mobile = '+4915112345678'
const perMinute = 990
const talks = 40
const steps = 18

type Roll = (sides: number) => number

interface Stage {
  exchange: Exchange
  ada: Customer & { second: string }
  bob: Customer
}

const setStage = async (exchange: Exchange): Promise<Stage> => {
  await exchange.addTrunk()
  const [ada, bob] = [await exchange.newCustomer(), await exchange.newCustomer()]
  const second = await exchange.store.write(async (tables) =>
    exchange.addDevice(tables, ada.accountId, await exchange.addUser(tables, ada.accountId)),
  )
  return { exchange, ada: { ...ada, second }, bob }
}

/** One call with transfers and consultations of all kinds, while all phones act at random. */
class ChaosRun {
  readonly #stage: Stage
  readonly #roll: Roll
  readonly #legs: ScriptedLeg[] = []
  readonly #asked: Asked[] = []
  readonly #commands: Promise<unknown>[] = []
  /** Cost of the answered external legs. */
  readonly #bills: Promise<number>[] = []
  readonly #dialledBefore: number
  readonly steps: string[] = []

  constructor(stage: Stage, roll: Roll) {
    this.#stage = stage
    this.#roll = roll
    this.#dialledBefore = stage.exchange.telephony.called.length
  }

  get bills(): Promise<number[]> {
    return Promise.all(this.#bills)
  }

  get legs(): ScriptedLeg[] {
    return [...this.#legs, ...this.#stage.exchange.telephony.called.slice(this.#dialledBefore)]
  }

  async run(): Promise<void> {
    const { exchange } = this.#stage
    this.#begin()
    await exchange.rest()
    this.#answer(exchange.ringing[0])
    await exchange.rest()
    for (let step = 0; step < steps; step++) {
      const [name, act] = this.#one(Object.entries(this.#next)) ?? assert.fail()
      this.steps.push(name)
      act()
      if (this.#roll(3) === 0) continue // the next event comes at the same moment
      await exchange.clock.advance(this.#one([0, 0, 0, 0, 2_000, 2_000, 35_000]) ?? 0)
      this.#checkSounds()
    }
    for (const leg of this.#alive) leg.hangsUp()
    await exchange.seconds(40)
    await Promise.all(this.#commands)
  }

  check(): void {
    for (const leg of this.legs) {
      assert.ok(leg.over && !leg.observed, `left alone: ${leg.log.join()}`)
      assert.deepEqual([leg.playing, leg.announcing, leg.bridge], [[], [], undefined])
    }
    for (const { state } of this.#asked) assert.notEqual(state, 'pending', 'the request was not answered')
  }

  /** Compares shown and actual audio while no phone is being called. */
  #checkSounds(): void {
    const asked = this.#alive.some(({ referral }) => referral)
    if (asked || this.#stage.exchange.ringing.length > 0) return
    for (const leg of this.#alive)
      assert.ok(
        !leg.playing.some(({ sound }) => 'tone' in sound && sound.tone === 'ringback'),
        `hears ringing though no phone rings: ${leg.log.join()}`,
      )
    const [call] = this.#calls
    const { participants, hold } = call?.status() ?? { participants: [], hold: true }
    assert.ok(participants.length <= this.#alive.length, 'who is gone is not shown')
    assert.ok(participants.length !== 3 || participants.some((one) => one.hold), 'of three, one waits')
    if (hold || participants.length !== 2 || participants.some((one) => one.hold)) return
    for (const leg of this.#alive) assert.deepEqual([leg.playing.length, leg.bridge?.legs.length], [0, 2], `should talk: ${leg.log.join()}`)
  }

  get #alive(): ScriptedLeg[] {
    return this.legs.filter(({ over }) => !over)
  }

  /** The call as each account sees it. */
  get #calls(): RunningCall[] {
    const { exchange, ada, bob } = this.#stage
    return [ada, bob].flatMap((customer) => exchange.calls.list(adminOf(customer)))
  }

  #begin(): void {
    const { exchange, ada, bob } = this.#stage
    const { telephony } = exchange
    const phone = ({ accountId, deviceId }: Customer) => ({ kind: 'device', accountId, deviceId }) as const
    const ways = [
      () => telephony.arrives({ kind: 'trunk', trunkId: 'carrier' }, ada.number),
      () => telephony.arrives(phone(bob), ada.number),
      () => telephony.arrives(phone(ada), mobile),
      () => telephony.arrives(phone(ada), ada.second),
      () => telephony.arrives({ ...phone(ada), deviceId: ada.second }, ada.deviceId),
    ]
    const leg = this.#one(ways)?.() ?? assert.fail()
    leg.refers = true
    this.#legs.push(leg)
  }

  /** A phone that is called or referred mostly reacts. */
  get #next(): Record<string, () => unknown> {
    const { exchange } = this.#stage
    const asked = this.#one(this.#alive.filter(({ referral }) => referral))
    const called = this.#one(exchange.ringing)
    if (asked?.referral && this.#roll(2) === 0) return this.#byItself(asked, asked.referral)
    if (called && this.#roll(2) === 0) return this.#byCalled(called)
    return this.#calls[0]?.status().participants.length === 3 && this.#roll(2) === 0 ? this.#byThree : this.#byAnybody
  }

  #byCalled(leg: ScriptedLeg): Record<string, () => unknown> {
    return {
      rings: () => leg.rings(),
      'early audio': () => leg.sendsEarlyAudio(),
      answers: () => this.#answer(leg),
      refuses: () => this.#rarely() && leg.refuses('busy', 486),
    }
  }

  get #byThree(): Record<string, () => unknown> {
    return {
      'hold by command': () => this.#command((call) => call.hold(this.#roll(2) === 0)),
      'the same without asking': () => this.#transferAgain(),
      'hangs up': () => this.#one(this.#alive)?.hangsUp(),
    }
  }

  #byItself(leg: ScriptedLeg, { resolve, reject, ringing }: NonNullable<ScriptedLeg['referral']>): Record<string, () => unknown> {
    return {
      'rings there by itself': () => ringing(),
      'comes by itself': () => this.#takePlace(this.#one(this.#alive.filter((other) => other !== leg && other.answered))),
      'reaches them by itself': () => resolve(),
      'does not reach them by itself': () => reject(new Error('486')),
    }
  }

  get #byAnybody(): Record<string, () => unknown> {
    const talking = this.#one(this.#alive.filter(({ answered }) => answered))
    return {
      'blind transfer': () => this.#transfer(false),
      'attended transfer': () => this.#transfer(true),
      'hold by command': () => this.#command((call) => call.hold(this.#roll(2) === 0)),
      'mute by command': () => this.#command((call) => call.mute(this.#roll(2) === 0)),
      'record by command': () => this.#command((call) => call.record(this.#roll(2) === 0, { announcement: false })),
      DELETE: () => this.#rarely() && this.#command((call) => call.hangUp()),
      'hangs up': () => this.#rarely() && this.#one(this.#alive)?.hangsUp(),
      dies: () => this.#rarely() && talking?.dies(),
      'holds or not': () => talking?.holds(this.#roll(2) === 0),
      'its phone transfers': () => this.#rarely() && talking?.asksTransfer({ dialled: mobile }),
      'comes to take a place': () => this.#rarely() && this.#takePlace(talking),
      'slow to agree': () => this.#slow(talking),
      stubborn: () => this.#rarely() && this.#stubborn(talking),
    }
  }

  #rarely(): boolean {
    return this.#roll(4) === 0
  }

  #transfer(attended: boolean): void {
    const { exchange, ada, bob } = this.#stage
    const phoneNumber = this.#one([mobile, mobile, ada.deviceId, ada.second, bob.number]) ?? ''
    const customer = phoneNumber.startsWith('+') ? (this.#one([ada, bob]) ?? ada) : ada
    for (const { callId } of exchange.calls.list(adminOf(customer)))
      this.#asked.push(transferring(exchange, customer, callId, { phoneNumber, attended }))
  }

  #transferAgain(): void {
    const { exchange, ada, bob } = this.#stage
    for (const phoneNumber of [mobile, ada.deviceId, ada.second, bob.number])
      for (const { callId } of exchange.calls.list(adminOf(ada)).filter((call) => call.status().participants.length === 3))
        this.#asked.push(transferring(exchange, ada, callId, { phoneNumber }))
  }

  #answer(leg: ScriptedLeg | undefined): void {
    if (!leg || leg.over) return
    const { clock } = this.#stage.exchange
    const at = clock.now()
    leg.refers = true
    const heeded = leg.observed
    leg.answers()
    if (heeded && leg.target?.kind === 'trunk')
      this.#bills.push(leg.ended.then(() => Math.ceil(wholeSeconds(at, clock.now()) / 60) * perMinute))
  }

  #command(work: (call: RunningCall) => Promise<void>): void {
    const call = this.#one(this.#calls)
    if (call) this.#commands.push(work(call).catch(() => {}))
  }

  #takePlace(replaces: ScriptedLeg | undefined): void {
    const { exchange, ada, bob } = this.#stage
    const { accountId, deviceId } = this.#one([ada, { ...ada, deviceId: ada.second }, bob]) ?? ada
    if (replaces) this.#legs.push(exchange.telephony.arrives({ kind: 'device', accountId, deviceId }, 'x', { replaces }))
  }

  /** Some phones take time to agree to hold; some are gone before. */
  #slow(leg: ScriptedLeg | undefined): void {
    if (!leg) return
    const { clock } = this.#stage.exchange
    leg.hold = async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const cancel = clock.after(3_000, resolve)
      await Promise.race([promise, leg.ended]).finally(cancel)
    }
  }

  #stubborn(leg: ScriptedLeg | undefined): void {
    if (leg) leg.hold = () => Promise.reject(new Error('488'))
  }

  #one<T>(list: readonly T[]): T | undefined {
    return list[this.#roll(list.length)]
  }
}

/** Balance, checked against the ledger. */
const balanceOf = async ({ store }: Exchange, { accountId }: Customer): Promise<number> => {
  const entries = await store.read.balances.listEntries(accountId, { limit: 10_000 })
  const { amount, reserved } = (await store.read.balances.find(accountId)) ?? assert.fail()
  assert.equal(reserved, 0)
  assert.equal(
    entries.reduce((sum, entry) => sum + entry.amount, 0),
    amount,
  )
  return amount
}

for (const transferBy of ['bridge', 'refer'] as const)
  test(`${transferBy}: ends all legs and sounds, and charges every external leg once, for transfers in any order of events`, async (t) => {
    const exchange = await openExchange(t, { transferBy })
    const stage = await setStage(exchange)
    const money = async (): Promise<number> => (await balanceOf(exchange, stage.ada)) + (await balanceOf(exchange, stage.bob))
    for (let seed = 1; seed <= talks; seed++) {
      const turmoil = new ChaosRun(stage, dice(seed))
      const before = await money()
      try {
        await turmoil.run()
        turmoil.check()
        assert.equal(exchange.callRouter.size, 0)
        const bills = (await turmoil.bills).reduce((sum, bill) => sum + bill, 0)
        assert.equal(before - (await money()), bills, 'what they cost')
      } catch (error) {
        throw new Error(`seed ${seed}: ${turmoil.steps.join(', ')}`, { cause: error })
      }
    }
    assert.deepEqual(exchange.failures, [])
    const ended = exchange.changes.filter(([what]) => what === 'ended').map(([, { callId }]) => callId)
    assert.equal(new Set(ended).size, ended.length)
  })
