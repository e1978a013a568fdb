import assert from 'node:assert/strict'
import { join } from 'node:path'
import { operations, pathNames, type Operation } from '@offhook/contract'
import { failures } from '@offhook/contract/openapi/openapi-failures.ts'
import { createClient, type Client } from '@offhook/sdk'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { argon2Passwords } from '#adapters/passwords/argon2-passwords.ts'
import { readSettings } from '#settings/config.ts'
import type { Passwords } from '#core/kernel/ports/account.ts'
import { createAccount, createUser } from '#core/account/accounts/create-account.ts'
import { issueToken } from '#core/account/identity/tokens/tokens.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { start, type Replaced, type Running } from '#wiring/main.ts'
import { freshPostgres, patientLimits, temporaryFolder, type Database } from '../store/databases.ts'
import type { Scope } from '../machine/temporary-folder.ts'
import { copyMigrated } from '../store/migrated-sqlite.ts'
import { VirtualClock } from '../clock/virtual-clock.ts'

export { bothDatabases, databases, type Database } from '../store/databases.ts'

/** User of an account with a separate client. */
export interface Person {
  accountId: string
  userId: string
  email: string
  password: string
  token: string
  api: Client
}

export interface World {
  url: string
  data: string
  clock: VirtualClock
  running: Running
  /** Account with one administrator. */
  newAccount(company?: string): Promise<Person>
  newUser(accountId: string, options?: { admin?: boolean }): Promise<Person>
  /** Client of the operator. */
  operator(): Promise<Client>
  /** Client with any token, or none. */
  client(token?: string): Client
  write<T>(work: (tables: Tables) => Promise<T>): Promise<T>
}

export const testPassword = 'correct horse battery staple'

/** Real hashes at a tenth of a millisecond instead of thirty-five: the adapter's tests cover their real cost. */
export const cheapPasswords: Passwords = argon2Passwords({ memoryCost: 8, timeCost: 1, parallelism: 1 })

export interface WorldOptions {
  database?: Database
  settings?: Record<string, string>
  replaced?: Replaced
  /** Clock of several services; its creator disposes of it. */
  sharedClock?: VirtualClock
}

export const assertNoTimers = (clock: VirtualClock): void => assert.deepEqual(clock.left(), [], 'the service left timers behind')

/** The whole service, real except for time, on a free port; closed after the test. */
export const startWorld = async (
  t: Scope,
  { database = 'sqlite', settings = {}, replaced = {}, sharedClock }: WorldOptions = {},
): Promise<World> => {
  let running: Running | undefined
  const data = await temporaryFolder(t, () => running?.close())
  const clock = sharedClock ?? new VirtualClock(undefined, async () => running?.idle())
  if (!sharedClock) t.after(() => assertNoTimers(clock))
  const environment: Record<string, string> = {
    OFFHOOK_HTTP: '127.0.0.1:0',
    OFFHOOK_SIP: '127.0.0.1:0',
    OFFHOOK_DATA: data,
    OFFHOOK_DEMO: 'off',
    OFFHOOK_SPEECH: 'off',
    OFFHOOK_RATE_LIMIT: '0',
    OFFHOOK_SHED_LOAD: 'off',
    ...(database === 'postgres' && { DATABASE_URL: await freshPostgres() }),
    ...settings,
  }
  if (environment.OFFHOOK_DATA === data && environment.DATABASE_URL === undefined) await copyMigrated(join(data, 'offhook.db'))
  const quiet = { pollIntervalMs: 3_600_000, commitWindowMs: 0, databaseLimits: patientLimits, passwords: cheapPasswords, log: () => {} }
  running = await start(readSettings(environment), { clock, ...quiet, ...replaced })
  return new TestWorld(data, clock, running, replaced.passwords ?? cheapPasswords)
}

class TestWorld implements World {
  readonly data: string
  readonly clock: VirtualClock
  readonly running: Running
  readonly #passwords: Passwords
  #users = 0

  constructor(data: string, clock: VirtualClock, running: Running, passwords: Passwords) {
    this.data = data
    this.clock = clock
    this.running = running
    this.#passwords = passwords
  }

  get url(): string {
    return this.running.http
  }

  write<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.running.deps.store.write(work)
  }

  client(token?: string): Client {
    return createClient({ baseUrl: this.url, fetch: checkedFetch, ...(token !== undefined && { token }) })
  }

  async newAccount(company = 'Example Ltd'): Promise<Person> {
    const accountId = await this.write((tables) =>
      createAccount(tables, this.clock, { company, country: 'DE', locale: 'en_US', currency: 'EUR' }),
    )
    return this.newUser(accountId, { admin: true })
  }

  async newUser(accountId: string, { admin = false }: { admin?: boolean } = {}): Promise<Person> {
    const email = `user${++this.#users}-${accountId}@example.com`
    const passwordHash = await this.#passwords.hash(testPassword)
    const names = { firstname: 'Ada', lastname: `L${this.#users}` }
    return this.write(async (tables) => {
      const userId = await createUser(tables, this.clock, accountId, { email, passwordHash, ...names, admin, locale: 'en_US' })
      const token = await issueToken(tables, this.clock, {
        kind: 'session',
        holder: { accountId, userId },
        subject: userId,
        scopes: ['all'],
      })
      return { accountId, userId, email, password: testPassword, token, api: this.client(token) }
    })
  }

  async operator(): Promise<Client> {
    const id = `operator-${++this.#users}`
    const token = await this.write(async (tables) => {
      const operator = { id, email: `${id}@example.com`, name: 'Op', passwordHash: 'none', createdAt: this.clock.now() }
      await tables.operators.insert(operator)
      return issueToken(tables, this.clock, { kind: 'operator', holder: { operatorId: id }, subject: id, scopes: ['all'] })
    })
    return this.client(token)
  }
}

const patternOf = (template: string): RegExp => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`)

/** Operations with the fewest path parameters first: a literal match takes precedence. */
const known = Object.values<Operation>(operations)
  .toSorted((a, b) => pathNames(a.path).length - pathNames(b.path).length)
  .map((operation) => ({ operation, pattern: patternOf(operation.path) }))

/** Validates every response against the contract: a documented status, the declared fields, and no other field. */
const checkedFetch: typeof fetch = async (input, init) => {
  const reply = await fetch(input, init)
  const url = new URL(input instanceof Request ? input.url : input)
  const operation = known.find((one) => one.operation.method === init?.method && one.pattern.test(url.pathname))?.operation
  if (!operation) return reply
  if (!reply.ok) {
    assert.ok(String(reply.status) in failures(operation), `${operation.id} answers ${reply.status}, which is not documented`)
    return reply
  }
  const types = typesOf(operation)
  const type = reply.headers.get('content-type') ?? ''
  if (operation.csv && type.startsWith('text/csv')) return reply
  if (types) {
    assert.ok(types.includes(type), type)
    return reply
  }
  const text = await reply.text()
  assert.equal(reply.status, operation.status, `${operation.id} answers another status than it declares`)
  if (operation.reply === undefined) assert.equal(text, '', `${operation.id} declares no reply`)
  else assertExact(operation.id, operation.reply, JSON.parse(text))
  return new Response(text === '' ? null : text, { status: reply.status, headers: reply.headers })
}

/** Content types of non-JSON responses. */
const typesOf = ({ file, text, textTypes = ['text/plain'] }: Operation): string[] | undefined => {
  if (file) return [file]
  return text && textTypes.map((type) => `${type}; charset=utf-8`)
}

const assertExact = (id: string, schema: TSchema, value: unknown): void => {
  const [first] = Value.Errors(schema, value)
  assert.equal(first, undefined, `${id}: ${JSON.stringify(first)}`)
  assert.deepEqual(Value.Clean(schema, structuredClone(value)), value, `${id} answers fields it does not declare`)
}
