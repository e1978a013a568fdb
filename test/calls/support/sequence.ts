import assert from 'node:assert/strict'
import { describeAction, ending, nextAction, type Action, type Order, type PhoneStep } from '#test/call-model/call-actions.ts'
import { CallModel } from '#test/call-model/call-model.ts'
import { done, notFound, notNow, type Command } from '#test/call-model/model-types.ts'
import { dice } from '#test/chance/dice.ts'
import type { Finished } from './aftermath.ts'
import { nonsense } from './nonsense.ts'
import type { CallFixture } from './call-fixture.ts'
import { Timeline } from './timeline.ts'
import { Witness, type Announced } from './witness.ts'

const goneTimeoutMs = 30_000
/** Two RTP ports per leg. */
const portsOfCall = 4

const pairs = [
  ['ada', 'bob'],
  ['bob', 'ada'],
  ['ada', 'cleo'],
  ['dora', 'ada'],
  ['ada', 'dora'],
] as const

/** One call with random commands; after each, the API and every phone must match the model. */
export class Sequence {
  readonly trail: string[] = []
  readonly #fixture: CallFixture
  readonly #seed: number
  readonly #roll: (sides: number) => number
  readonly #model: CallModel
  readonly #witness: Witness
  readonly #timeline = new Timeline()
  readonly #pair: readonly [string, string]
  readonly #keys = new Map<string, string>()
  /** Accounts whose phones talked, and those whose phones rang. */
  readonly #talked = new Set<string>()
  readonly #rung = new Set<string>()
  /** Account whose phone may or may not have rung. */
  #suspect: string | undefined
  #simple = true
  #callId = ''
  #dialledAt = 0
  #answeredAt = 0
  /** Start time of the last step, which ended the call. */
  #steppedAt = 0
  #recordings: ReadonlyMap<string, number>[] = []

  constructor(fixture: CallFixture, seed: number) {
    this.#fixture = fixture
    this.#seed = seed
    this.#roll = dice(seed)
    this.#pair = pairs[this.#roll(pairs.length)] ?? assert.fail()
    const people = [...fixture.people.values()]
    const parties = people.map(({ name, accountId, phone }) => ({ name, account: accountId, number: phone.number }))
    this.#model = new CallModel(parties, ...this.#pair)
    this.#witness = new Witness(fixture, this.#model)
    for (const { phone } of people) {
      phone.rude = this.#roll(3) === 0
      phone.behaviour = 'answers'
    }
  }

  async run(): Promise<Finished> {
    await this.#begin()
    for (let steps = 4 + this.#roll(5); steps > 0 && !this.#model.over; steps--) await this.#step(nextAction(this.#model, this.#roll))
    while (!this.#model.over) await this.#step(ending(this.#model, this.#roll))
    const { pacer, service } = this.#fixture.fleet
    assert.ok(await pacer.until(() => service.log.ends.has(this.#callId), goneTimeoutMs), 'it did not end')
    return this.#finished()
  }

  async #begin(): Promise<void> {
    const [caller, callee] = this.#pair.map((name) => this.#fixture.person(name))
    assert.ok(caller && callee)
    this.trail.push(`${caller.name} calls ${callee.name}`)
    const since = performance.now()
    this.#dialledAt = since
    caller.phone.dial(callee.phone.number)
    await this.#witness.settled()
    this.#answeredAt = performance.now()
    assert.ok(this.#fixture.fleet.service.audioPorts() >= portsOfCall, 'ports are seen while they are used')
    const [call] = await this.#fixture.calls(this.#fixture.person('ada').token)
    this.#callId = call?.callId ?? assert.fail('the call is not shown')
    this.#note()
    await this.#check({ since, patient: true, announced: undefined })
  }

  async #step(action: Action): Promise<void> {
    if (this.#roll(4) === 0) await this.#talkNonsense()
    this.trail.push(describeAction(action))
    const { orders, phoneActions } = action
    const since = performance.now()
    this.#steppedAt = since
    const before = new Map(this.#model.recordings)
    this.#timeline.changing()
    const announced = orders.flatMap(({ by, command }) => this.#announcement(by, command))[0]
    const stubborn = this.#makeStubborn(action)
    const expected = orders.map((order) => this.#expect(order, stubborn))
    for (const { name, does } of phoneActions) this.#model.phone(name, does)
    const answers = orders.map((order) => this.#order(order))
    await Promise.all(phoneActions.map((phoneAction) => this.#act(phoneAction)))
    const statuses = await Promise.all(answers)
    if (stubborn !== undefined) this.#fixture.person(stubborn).phone.stubborn = false
    const suspect = this.#model.over && orders.length + phoneActions.length > 1
    if (!suspect) this.#suspect = undefined
    this.#recordings = suspect ? [before, this.#model.recordings] : [this.#model.recordings]
    // A late command is rejected.
    if (suspect) for (const status of statuses) assert.ok([done, notFound, notNow].includes(status), `${status}`)
    else assert.deepEqual(statuses, expected)
    this.#note()
    await this.#check({ since, patient: phoneActions.length > 0 || !this.#simple, announced })
  }

  async #check({ since, patient, announced }: { since: number; patient: boolean; announced: Announced | undefined }): Promise<void> {
    const answered = performance.now()
    if (announced && !this.#model.over) await this.#witness.announced(announced, since)
    await this.#witness.settled()
    await this.#witness.shown(patient)
    if (this.#model.over) return
    await this.#witness.heard(since, answered)
    for (const { name } of this.#model.parties)
      assert.equal(this.#fixture.person(name).phone.voice.keys, this.#keys.get(name) ?? '', `keys at ${name}`)
  }

  /** Expected status, and the party that will be sent or called. */
  #expect({ by, command }: Order, stubborn: string | undefined): number {
    const status = this.#model.execute(by, command, stubborn)
    const listening = this.#model.parties.filter(({ holds }) => !holds)
    if (command.do === 'dtmf' && status === done)
      for (const { name } of listening) this.#keys.set(name, (this.#keys.get(name) ?? '') + command.sequence)
    const { calling } = this.#model
    if (!calling) return status
    const { phone, accountId } = this.#fixture.person(calling.name)
    this.#simple = false
    this.#keys.delete(calling.name)
    phone.behaviour = calling.behaviour
    if (accountId === undefined) return status
    if (!this.#rung.has(accountId) && !this.#talked.has(accountId)) this.#suspect = accountId
    this.#rung.add(accountId)
    return status
  }

  /** Sometimes makes a phone reject hold or resume. */
  #makeStubborn({ orders, phoneActions }: Action): string | undefined {
    const alone = orders.length === 1 && phoneActions.length === 0 && !this.#model.openTransfer
    if (!alone || orders[0]?.command.do !== 'hold' || this.#roll(5) > 0) return undefined
    const name = this.#pair.find((one) => this.#model.party(one))
    if (name === undefined) return undefined
    this.trail.push(`  ${name} does not agree`)
    this.#fixture.person(name).phone.stubborn = true
    return name
  }

  async #order({ by, command }: Order): Promise<number> {
    const { status, body } = await this.#fixture.command(by, this.#callId, command)
    if (status >= 400) this.trail.push(`  ${status} ${JSON.stringify(body)}`)
    return status
  }

  async #act({ name, does }: PhoneStep): Promise<void> {
    const { phone } = this.#fixture.person(name)
    if (does === 'hangUp') phone.hangUp()
    else if (does === 'pickUp') phone.pickUp()
    else if (does === 'refuse') phone.refuse(486)
    else assert.ok((await phone.hold(does === 'hold')) || this.#model.over, `${name} could not ${does}`)
  }

  /** Announcement that each party will hear; computed before the model changes. */
  #announcement(by: string, command: Command): Announced[] {
    const { openTransfer, recording, parties } = this.#model
    if (openTransfer?.ringing || parties.every(({ holds }) => holds)) return []
    if (command.do === 'announce') return ['file']
    const begins = command.do === 'record' && command.value && command.announcement
    return begins && !recording.has(this.#fixture.person(by).accountId ?? '') ? ['notice'] : []
  }

  #note(): void {
    for (const { account } of this.#model.parties) if (account !== undefined) this.#talked.add(account)
    this.#timeline.note(this.#model, (name) => this.#fixture.person(name).phone.rude)
  }

  async #talkNonsense(): Promise<void> {
    const { from, method, path, body, status } = nonsense[this.#roll(nonsense.length)]?.(this.#callId) ?? assert.fail()
    const [member] = this.#model.members
    if (!member) return
    const tokens = { people: this.#fixture.person(member.name).token, stranger: this.#fixture.strangersToken, invalid: 'invalid' }
    const reply = await this.#fixture.request(tokens[from], method, path, body)
    assert.equal(reply.status, status, `${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(reply.body)}`)
  }

  #finished(): Finished {
    const seconds = { min: (this.#steppedAt - this.#answeredAt) / 1000, most: (performance.now() - this.#dialledAt) / 1000 }
    const accounts = [...new Set([...this.#talked, ...this.#rung])]
    return {
      seed: this.#seed,
      callId: this.#callId,
      sides: accounts.map((account) => ({
        account,
        missed: !this.#talked.has(account),
        doubtful: this.#suspect === account,
        recordings: this.#recordings.map((counts) => counts.get(account) ?? 0),
      })),
      simple: this.#simple ? { seconds, pair: this.#pair.map((name) => this.#fixture.person(name)), timeline: this.#timeline } : undefined,
    }
  }
}
