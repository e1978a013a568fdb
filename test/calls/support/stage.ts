import assert from 'node:assert/strict'
import type { Command, ModelStatus } from '../../support/call-model.ts'
import type { Fleet, Person } from './fleet.ts'

interface Reply {
  status: number
  body: unknown
}

interface ShownCall extends ModelStatus {
  callId: string
}

const paths: Record<Command['do'], [method: string, path: string]> = {
  hold: ['PUT', '/hold'],
  mute: ['PUT', '/muted'],
  record: ['PUT', '/recording'],
  dtmf: ['POST', '/dtmf'],
  hangUp: ['DELETE', ''],
}

/** Where one call after the other is made: two people of one account, one of another, one outside, and the interface for their software. */
export class Stage {
  readonly fleet: Fleet
  readonly people: ReadonlyMap<string, Person>
  /** Of an account that has nothing to do with any of it. */
  readonly strangersToken: string

  constructor(fleet: Fleet, people: readonly Person[], strangersToken: string) {
    this.fleet = fleet
    this.people = new Map(people.map((person) => [person.name, person]))
    this.strangersToken = strangersToken
  }

  person(name: string): Person {
    return this.people.get(name) ?? assert.fail(`nobody is called ${name}`)
  }

  /** Whoever of the account is named first asks, if nobody else is said to. */
  tokenOf(account: string, names: readonly string[]): string {
    return names.map((name) => this.person(name)).find(({ accountId }) => accountId === account)?.token ?? assert.fail(`nobody of ${account}`)
  }

  async command(token: string, callId: string, { do: what, ...body }: Command): Promise<Reply> {
    const [method, path] = paths[what]
    return this.request(token, method, `/v2/calls/${callId}${path}`, what === 'hangUp' ? undefined : body)
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
}
