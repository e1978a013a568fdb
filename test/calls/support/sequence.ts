import assert from 'node:assert/strict'
import { describeAction, ending, nextAction, type Action, type Order, type PhoneDeed } from '../../support/call-actions.ts'
import { CallModel, done, notFound, notNow, plainStatus, type Heard } from '../../support/call-model.ts'
import { dice } from '../../support/dice.ts'
import type { Finished } from './aftermath.ts'
import type { Person } from './fleet.ts'
import { nonsense } from './nonsense.ts'
import type { Stage } from './stage.ts'
import { Timeline } from './timeline.ts'

const hearWithinMs = 2_000
const goneWithinMs = 3_000
/** The spoken notice of a recording takes so long. */
const noticeMs = 2_500

const pairs = [
  ['ada', 'bob'],
  ['bob', 'ada'],
  ['ada', 'cleo'],
  ['dora', 'ada'],
  ['ada', 'dora'],
] as const

/** One call with random commands; after each of them the interface shows, and every ear hears, what the model says. */
export class Sequence {
  readonly trail: string[] = []
  readonly #stage: Stage
  readonly #seed: number
  readonly #roll: (sides: number) => number
  readonly #model: CallModel
  readonly #people: Person[]
  #callId = ''
  #answeredAt = 0
  #noticeUntil = 0
  readonly #keys = new Map<string, string>()
  readonly #timeline = new Timeline()

  constructor(stage: Stage, seed: number) {
    this.#stage = stage
    this.#seed = seed
    this.#roll = dice(seed)
    const names = pairs[this.#roll(pairs.length)] ?? assert.fail()
    this.#people = names.map((name) => stage.person(name))
    this.#model = new CallModel(this.#people.map(({ name, accountId, phone }) => ({ name, account: accountId, number: phone.number })))
    for (const { phone } of this.#people) phone.rude = this.#roll(3) === 0
  }

  async run(): Promise<Finished> {
    await this.#begin()
    await this.#check()
    for (let steps = 4 + this.#roll(5); steps > 0 && !this.#model.over; steps--) await this.#step(nextAction(this.#model, this.#roll))
    if (!this.#model.over) await this.#step(ending(this.#model, this.#roll))
    const talkedMs = performance.now() - this.#answeredAt
    await this.#over()
    const { accounts, recordings } = this.#model
    return {
      seed: this.#seed,
      callId: this.#callId,
      sides: accounts.map((account) => ({ account, talkedMs, recordings: recordings.get(account) ?? 0 })),
      channels: this.#people.map(({ name, phone }) => ({ name, hz: phone.voice.hz })),
      timeline: this.#timeline,
    }
  }

  async #begin(): Promise<void> {
    const [caller, callee] = this.#people
    assert.ok(caller && callee)
    this.trail.push(`${caller.name} calls ${callee.name}`)
    caller.phone.dial(callee.phone.number)
    for (const { name, phone } of [callee, caller]) assert.ok(await phone.until('talking'), `${name} does not talk`)
    this.#answeredAt = performance.now()
    const [call, ...others] = await this.#stage.calls(this.#tokenOf(this.#model.accounts[0] ?? ''))
    assert.ok(call, 'the call is not shown')
    assert.equal(others.length, 0)
    this.#callId = call.callId
    this.#note()
  }

  async #step(action: Action): Promise<void> {
    if (this.#roll(4) === 0) await this.#talkNonsense()
    this.trail.push(describeAction(action))
    const { orders, deeds } = action
    this.#timeline.changing()
    const expected = orders.map(({ by, command }) => this.#model.obey(by, command))
    const alone = orders.length + deeds.length === 1
    for (const { name, does } of deeds) this.#model.phone(name, does)
    const answers = orders.map((order) => this.#order(order))
    await Promise.all(deeds.map((deed) => this.#act(deed)))
    const statuses = await Promise.all(answers)
    // Who comes too late is told so.
    if (this.#model.over && !alone) for (const status of statuses) assert.ok([done, notFound, notNow].includes(status), `${status}`)
    else assert.deepEqual(statuses, expected)
    this.#note()
    // Whether a phone that just stopped listening still got the keys, nobody can say.
    for (const { name } of deeds) this.#keys.set(name, this.#stage.person(name).phone.voice.keys)
    await this.#check()
  }

  #note(): void {
    this.#timeline.note(this.#model, (name) => this.#stage.person(name).phone.rude)
  }

  async #talkNonsense(): Promise<void> {
    const { from, method, path, body, status } = nonsense[this.#roll(nonsense.length)]?.(this.#callId) ?? assert.fail()
    const people = this.#tokenOf(this.#model.accounts[0] ?? '')
    const token = from === 'people' ? people : from === 'stranger' ? this.#stage.strangersToken : 'nobody'
    const reply = await this.#stage.request(token, method, path, body)
    assert.equal(reply.status, status, `${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(reply.body)}`)
  }

  async #act({ name, does }: PhoneDeed): Promise<void> {
    const { phone } = this.#stage.person(name)
    if (does === 'hangUp') phone.hangUp()
    else assert.ok((await phone.hold(does === 'hold')) || this.#model.over, `${name} could not ${does}`)
  }

  async #order({ by, command }: Order): Promise<number> {
    if (command.do === 'dtmf') for (const name of this.#listeners()) this.#keys.set(name, (this.#keys.get(name) ?? '') + command.sequence)
    if (command.do === 'record' && command.announcement) this.#noticeUntil = performance.now() + noticeMs
    const { status, body } = await this.#stage.command(this.#tokenOf(by), this.#callId, command)
    if (status >= 400) this.trail.push(`  ${status} ${JSON.stringify(body)}`)
    return status
  }

  #tokenOf(account: string): string {
    return this.#stage.tokenOf(
      account,
      this.#people.map(({ name }) => name),
    )
  }

  #listeners(): string[] {
    return this.#model.parties.filter(({ holds }) => !holds).map(({ name }) => name)
  }

  async #check(): Promise<void> {
    const since = performance.now()
    await this.#checkShown()
    if (this.#model.over) return
    const ok = await this.#stage.fleet.pacer.until(() => this.#people.every((person) => this.#hearsAsModel(person, since)), hearWithinMs)
    if (!ok) this.#complain()
    for (const { name, phone } of this.#people) assert.equal(phone.voice.keys, this.#keys.get(name) ?? '', `keys at ${name}`)
  }

  async #checkShown(): Promise<void> {
    for (const { token, accountId = '' } of this.#stage.people.values()) {
      if (token === '') continue
      const shown = await this.#stage.calls(token)
      const expected = this.#people.some((one) => one.token === token) ? this.#model.status(accountId) : undefined
      assert.deepEqual(
        shown.map((call) => plainStatus(call)),
        expected === undefined ? [] : [plainStatus(expected)],
      )
    }
  }

  #hearsAsModel({ name, phone }: Person, since: number): boolean {
    const heard = phone.voice.ear.listen(this.#stage.fleet.tones, since)
    if (!heard) return false
    const expected = this.#model.hears(name)
    const tones = expected.voices.map((voice) => this.#stage.person(voice).phone.voice.hz)
    const spoken = performance.now() < this.#noticeUntil && expected.rest === 'nothing'
    const same = heard.tones.length === tones.length && tones.every((hz) => heard.tones.includes(hz))
    return same && (spoken || heard.rest === expected.rest)
  }

  #complain(): never {
    const names = new Map([...this.#stage.people.values()].map(({ name, phone }) => [phone.voice.hz, name]))
    const expected: Record<string, Heard> = {}
    const heard: Record<string, unknown> = {}
    for (const { name, phone } of this.#people) {
      const impression = phone.voice.ear.listen(this.#stage.fleet.tones, 0)
      expected[name] = this.#model.hears(name)
      heard[name] = impression && { voices: impression.tones.map((hz) => names.get(hz) ?? `${hz} Hz`), rest: impression.rest }
    }
    assert.deepEqual(heard, expected, 'what is heard')
    assert.fail('was heard too late')
  }

  /** Everybody is told, the service says so once, and nobody sees it any more. */
  async #over(): Promise<void> {
    const { pacer, service } = this.#stage.fleet
    for (const { name, phone } of this.#people) assert.ok(await phone.until('free'), `${name} was not told that it is over`)
    assert.ok(await pacer.until(() => service.log.ends.has(this.#callId), goneWithinMs), 'it did not end')
    await this.#checkShown()
  }
}
