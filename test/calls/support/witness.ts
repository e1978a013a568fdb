import assert from 'node:assert/strict'
import type { CallModel } from '#test/call-model/call-model.ts'
import { plainStatus, type Heard, type ModelStatus } from '#test/call-model/model-types.ts'
import type { AudioSnapshot } from './ear.ts'
import type { Person } from './fleet.ts'
import type { CallFixture } from './call-fixture.ts'

/** Generous, because the machine may be busy for a moment. */
const hearTimeoutMs = 30_000
const settleTimeoutMs = 30_000
const recheckMs = 40

/** Announcement played to all parties of the call: a file of the test, or the spoken notice. */
export type Announced = 'file' | 'notice'

/** Compares a call with its model: API state, parties on the line, and sound at every phone. */
export class Witness {
  readonly #fixture: CallFixture
  readonly #model: CallModel
  /** Start time of the current ringback at each party. */
  readonly #ringsSince = new Map<string, number>()

  constructor(fixture: CallFixture, model: CallModel) {
    this.#fixture = fixture
    this.#model = model
  }

  /** Waits until each phone talks, rings or is idle as the model says. */
  async settled(): Promise<void> {
    const wrong = (): Person[] => [...this.#fixture.people.values()].filter((person) => !this.#isWhereModelSays(person))
    await this.#fixture.fleet.pacer.until(() => wrong().length === 0, settleTimeoutMs)
    const names = wrong().map(({ name, phone }) => `${name} (${phone.talking ? 'talks' : phone.engaged ? 'is engaged' : 'is free'})`)
    assert.deepEqual(names, [], 'who is on the line')
  }

  /** `patient`: phones acted, and the service learns of it a moment later. */
  async shown(patient: boolean): Promise<void> {
    const deadline = performance.now() + (patient ? settleTimeoutMs : 0)
    for (const person of this.#fixture.people.values()) {
      const expected = this.#expectedFor(person)
      if (expected === 'anything') continue
      let calls = await this.#shownTo(person)
      while (JSON.stringify(calls) !== JSON.stringify(expected) && performance.now() < deadline) {
        await this.#fixture.fleet.pacer.until(() => false, recheckMs)
        calls = await this.#shownTo(person)
      }
      assert.deepEqual(calls, expected, `what ${person.name} is shown`)
    }
  }

  /** Resolves when all listening parties have heard it, and only it; it may have ended. */
  async announced(what: Announced, since: number): Promise<void> {
    const missing = new Set(this.#model.parties.filter(({ holds }) => !holds).map(({ name }) => name))
    const listen = (): boolean => {
      for (const name of missing) if (this.#hearsAnnouncement(what, name, since)) missing.delete(name)
      return missing.size === 0
    }
    await this.#fixture.fleet.pacer.until(listen, hearTimeoutMs)
    assert.deepEqual([...missing], [], `who did not hear the ${what}`)
  }

  /** `started`: time of the request; `since`: time of its completion. */
  async heard(started: number, since: number): Promise<void> {
    for (const { name } of this.#model.parties) {
      if (this.#model.hears(name).rest !== 'ringing') this.#ringsSince.delete(name)
      else if (!this.#ringsSince.has(name)) this.#ringsSince.set(name, started)
    }
    const ok = await this.#fixture.fleet.pacer.until(() => this.#people.every((person) => this.#hearsAsModel(person, since)), hearTimeoutMs)
    if (!ok) this.#complain()
  }

  get #people(): Person[] {
    return this.#model.parties.map(({ name }) => this.#fixture.person(name))
  }

  #isWhereModelSays({ name, phone }: Person): boolean {
    if (this.#model.over) return !phone.engaged
    if (this.#model.party(name)) return phone.talking
    const { openTransfer } = this.#model
    return openTransfer?.ringing && openTransfer.target.name === name ? phone.engaged && !phone.talking : !phone.engaged
  }

  #expectedFor({ name, accountId, token }: Person): ModelStatus[] | 'anything' {
    const status = this.#model.party(name) && this.#model.status(accountId)
    if (status) return [plainStatus(status)]
    // A party that has left may still see the call's data of its account.
    return token === '' || this.#model.involves(accountId) ? 'anything' : []
  }

  async #shownTo({ token }: Person): Promise<ModelStatus[]> {
    return (await this.#fixture.calls(token)).map((call) => plainStatus(call))
  }

  #listen(name: string, since: number): AudioSnapshot | undefined {
    return this.#fixture.person(name).phone.voice.ear.listen(this.#fixture.fleet.tones, since)
  }

  #hearsAnnouncement(what: Announced, name: string, since: number): boolean {
    if (what === 'file') return this.#fixture.person(name).phone.voice.ear.awaitedAt > since
    const heard = this.#listen(name, since)
    return heard?.tones.length === 0 && heard.rest === 'music'
  }

  #hearsAsModel({ name }: Person, since: number): boolean {
    const heard = this.#listen(name, since)
    if (!heard) return false
    const expected = this.#model.hears(name)
    const tones = expected.voices.map((voice) => this.#fixture.person(voice).phone.voice.hz)
    const same = heard.tones.length === tones.length && tones.every((hz) => heard.tones.includes(hz))
    return same && (heard.rest === expected.rest || (heard.rest === 'nothing' && this.#rings(name)))
  }

  /** Ringback has silent intervals. */
  #rings(name: string): boolean {
    return this.#fixture.person(name).phone.voice.ear.rangAt >= (this.#ringsSince.get(name) ?? Infinity)
  }

  #complain(): never {
    const names = new Map([...this.#fixture.people.values()].map(({ name, phone }) => [phone.voice.hz, name]))
    const expected: Record<string, Heard> = {}
    const heard: Record<string, unknown> = {}
    for (const { name } of this.#people) {
      const impression = this.#listen(name, 0)
      expected[name] = this.#model.hears(name)
      heard[name] = impression && { voices: impression.tones.map((hz) => names.get(hz) ?? `${hz} Hz`), rest: impression.rest }
    }
    assert.deepEqual(heard, expected, 'what is heard')
    assert.fail(`it was heard too late: ${JSON.stringify(heard)}`)
  }
}
