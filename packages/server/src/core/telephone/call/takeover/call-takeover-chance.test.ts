// test: chance
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { dice } from '#test/chance/dice.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { price } from '#test/routing/lost-calls.ts'
import { openExchange, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import { openSecond } from '#test/routing/second-process.ts'

const rounds = 12
const kills = 4

interface Talk {
  answeredAt: number
  endedAt: number | undefined
}

/** Calls of one customer that are taken over from node to node as nodes die. */
class ChaosRun {
  readonly #t: TestContext
  readonly #roll: (sides: number) => number
  readonly #ada: Customer
  /** Keyed by leg id, which a takeover keeps. */
  readonly talks = new Map<string, Talk>()
  exchange: Exchange

  constructor(t: TestContext, exchange: Exchange, ada: Customer, roll: (sides: number) => number) {
    this.#t = t
    this.exchange = exchange
    this.#ada = ada
    this.#roll = roll
  }

  get #legs(): ScriptedLeg[] {
    const { called, resumed } = this.exchange.telephony
    return [...called, ...resumed].filter(({ over, id }) => !over && this.talks.has(id))
  }

  async call(): Promise<void> {
    await this.exchange.callFrom(this.#ada, outsideNumber)
    const far = this.exchange.phone
    far.answers()
    this.talks.set(far.id, { answeredAt: this.exchange.clock.now(), endedAt: undefined })
    await this.exchange.rest()
  }

  async hangUp(): Promise<void> {
    const legs = this.#legs
    const leg = legs[this.#roll(legs.length || 1)]
    if (!leg) return
    this.#ended(leg.id, this.exchange.clock.now())
    leg.hangsUp()
    await this.exchange.rest()
  }

  /** Kills the node; another one takes its calls over. One phone may be gone by then. */
  async kill(): Promise<void> {
    const before = this.exchange
    before.crash()
    const second = openSecond(this.#t, before)
    const lost = this.#roll(3) === 0 ? this.#legs[0] : undefined
    if (lost) second.exchange.telephony.notResumed.set(lost.id, 'gone')
    const diedAt = second.exchange.clock.now()
    await second.exchange.seconds(1.2)
    await second.takeOver()
    if (lost) this.#ended(lost.id, diedAt + 200)
    assert.deepEqual(second.exchange.failures, [])
    this.exchange = second.exchange
  }

  async step(): Promise<void> {
    await this.exchange.seconds(this.#roll(50) + this.#roll(10) / 10)
    await (this.#roll(3) === 0 ? this.hangUp() : this.call())
  }

  #ended(id: string, at: number): void {
    const talk = this.talks.get(id) ?? assert.fail('unknown')
    talk.endedAt ??= at
  }
}

test('writes and charges each call once, with its duration, when nodes die at random times', async (t) => {
  const roll = dice(4_711)
  for (let round = 0; round < rounds; round++) {
    const exchange = await openExchange(t)
    await exchange.addTrunk()
    const ada = await exchange.newCustomer()
    const turmoil = new ChaosRun(t, exchange, ada, roll)
    for (let kill = 0; kill < kills; kill++) {
      for (let step = 0; step < 2 + roll(4); step++) await turmoil.step()
      await turmoil.kill()
    }
    while ([...turmoil.talks.values()].some(({ endedAt }) => endedAt === undefined)) {
      await turmoil.exchange.seconds(1 + roll(30))
      await turmoil.hangUp()
    }
    const lasted = [...turmoil.talks.values()].map(({ answeredAt, endedAt = 0 }) => (endedAt - answeredAt) / 1000)
    const notified = (await turmoil.exchange.history(ada)).map(({ detail }) => detail.duration ?? 0)
    const sorted = (all: readonly number[]): number[] => all.toSorted((a, b) => a - b)
    assert.equal(notified.length, lasted.length, `round ${round}`)
    for (const [at, seconds] of sorted(lasted).entries())
      assert.ok(
        Math.abs((sorted(notified)[at] ?? 0) - Math.max(seconds, 1)) <= 1.01,
        `round ${round}: ${sorted(notified).join()} for ${sorted(lasted).join()}`,
      )
    const minutes = notified.reduce((sum, seconds) => sum + Math.ceil(seconds / 60), 0)
    assert.deepEqual(await turmoil.exchange.money(ada), { spent: minutes * price, reserved: 0 }, `round ${round}`)
  }
})
