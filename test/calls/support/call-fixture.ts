import assert from 'node:assert/strict'
import type { Command, ModelStatus } from '#test/call-model/model-types.ts'
import type { Fleet, Person } from './fleet.ts'

interface Reply {
  status: number
  body: unknown
}

interface ShownCall extends ModelStatus {
  callId: string
}

export interface CallFixtureOptions {
  people: readonly Person[]
  /** Token of an unrelated account. */
  strangersToken: string
  /** Audio file to fetch, with a unique tone. */
  announcement: { url: string; hz: number }
}

/** Runs one call after the other: two people of one account, one of another, one external, and API clients for them. */
export class CallFixture {
  readonly fleet: Fleet
  readonly people: ReadonlyMap<string, Person>
  readonly strangersToken: string
  readonly announcement: { url: string; hz: number }

  constructor(fleet: Fleet, { people, strangersToken, announcement }: CallFixtureOptions) {
    this.fleet = fleet
    this.people = new Map(people.map((person) => [person.name, person]))
    this.strangersToken = strangersToken
    this.announcement = announcement
    for (const { phone } of people) phone.voice.ear.awaits = announcement.hz
  }

  person(name: string): Person {
    return this.people.get(name) ?? assert.fail(`no person is called ${name}`)
  }

  async command(by: string, callId: string, command: Command): Promise<Reply> {
    const [method, path, body] = this.#requestOf(command)
    return this.request(this.person(by).token, method, `/v2/calls/${callId}${path}`, body)
  }

  async request(token: string, method: string, path: string, body?: unknown): Promise<Reply> {
    const headers = { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const reply = await fetch(this.fleet.service.running.http + path, { method, headers, ...content })
    const text = await reply.text()
    return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) }
  }

  async calls(token: string): Promise<ShownCall[]> {
    const { status, body } = await this.request(token, 'GET', '/v2/calls')
    assert.equal(status, 200)
    return (body as { data: ShownCall[] }).data
  }

  #requestOf(command: Command): [method: string, path: string, body?: unknown] {
    switch (command.do) {
      case 'hold':
        return ['PUT', '/hold', { value: command.value }]
      case 'mute':
        return ['PUT', '/muted', { value: command.value }]
      case 'record':
        return ['PUT', '/recording', { value: command.value, announcement: command.announcement }]
      case 'dtmf':
        return ['POST', '/dtmf', { sequence: command.sequence }]
      case 'announce':
        return ['POST', '/announcements', { url: this.announcement.url }]
      case 'transfer':
        return ['POST', '/transfer', { attended: command.attended, phoneNumber: this.person(command.to).phone.number }]
      case 'hangUp':
      default:
        return ['DELETE', '']
    }
  }
}
