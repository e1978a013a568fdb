import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { LongReads } from '#core/kernel/ports/store/index.ts'
import { countSqlite } from '#test/store/counted-sqlite.ts'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { buildServer, type ServerLimits } from '../server.ts'

const contactsOf = (count: number, owner: string) =>
  Array.from({ length: count }, (_, nth) => ({
    id: randomUUID(),
    owner,
    shared: false,
    name: `Person ${String(nth).padStart(5, '0')}`,
    emails: [`p${nth}@example.org`],
    numbers: [`+49305${String(nth).padStart(6, '0')}`],
  }))

const giveContacts = (world: World, { accountId, userId }: Person, count: number): Promise<void> =>
  world.write(({ contacts }) => contacts.insert(accountId, contactsOf(count, userId), world.clock.now()))

const get = async (url: string, { token }: Person, path = '/v1/contacts', signal?: AbortSignal): Promise<Response> =>
  fetch(url + path, { headers: { authorization: `Bearer ${token}` }, ...(signal && { signal }) })

for (const database of databases) {
  test(`${database}: answers another account before the rest of 45 concurrent lists of one account`, async (t) => {
    const world = await startWorld(t, { database })
    const [noisy, quiet] = [await world.newAccount(), await world.newAccount()]
    await giveContacts(world, noisy, 1_000)
    let answered = 0
    const lists = Array.from({ length: 45 }, async () => {
      const reply = await get(world.url, noisy)
      const { items } = (await reply.json()) as { items: unknown[] }
      answered++
      return items.length
    })
    const small = await get(world.url, quiet, '/v1/account')
    const before = answered
    assert.equal(small.status, 200)
    assert.ok(before < 20, `${before} of 45 lists were answered before`)
    assert.deepEqual(new Set(await Promise.all(lists)), new Set([1_000]))
  })

  test(`${database}: returns a long list complete, in order, and equal to its pages`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    await giveContacts(world, ada, 1_200)
    const { items } = await ada.api.listContacts({})
    assert.deepEqual(
      items.map(({ name }) => name),
      contactsOf(1_200, '').map(({ name }) => name),
    )
    const first = await ada.api.listContacts({ limit: 500 })
    const second = await ada.api.listContacts({ limit: 500, cursor: first.nextCursor ?? '' })
    assert.deepEqual([...first.items, ...second.items], items.slice(0, 1_000))
    const rest = await ada.api.listContacts({ cursor: second.nextCursor ?? '' })
    assert.deepEqual(rest.items, items.slice(1_000))
    const found = await ada.api.listContacts({ search: 'person 00', sort: '-name', limit: 10 })
    assert.deepEqual([found.items.length, found.items[0]?.name, found.totalCount], [10, 'Person 00999', 1_000])
    const none = await world.newUser(ada.accountId)
    assert.deepEqual(await none.api.listContacts({}), { items: [] })
    const csv = await ada.api.exportContacts({ format: 'csv' })
    assert.equal(csv.split('\r\n').length, 1_202)
  })
}

/** The service with custom limits, and control over the reads in a thread. */
const startHeld = async (t: TestContext, limits: Partial<ServerLimits> = {}) => {
  const world = await startWorld(t)
  const { deps } = world.running
  const held = new Map<string, PromiseWithResolvers<void>>()
  const longReads: LongReads = {
    read: async (accountId, name, input) => {
      await held.get(accountId)?.promise
      return deps.store.longReads?.read(accountId, name, input)
    },
  }
  const app = buildServer({ ...deps, store: { ...deps.store, longReads } }, { rateLimit: 0, trustProxy: false, limits })
  const begun: { path: string; turn: number }[] = []
  const turnsOf = countTurns(t)
  app.addHook('preHandler', (request, _reply, done) => {
    begun.push({ path: request.url, turn: turnsOf() })
    done()
  })
  const replies: ServerResponse[] = []
  app.server.on('request', (_request, reply) => void replies.push(reply))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => app.close())
  const hold = ({ accountId }: Person): (() => void) => {
    const hand = Promise.withResolvers<void>()
    held.set(accountId, hand)
    return hand.resolve
  }
  /** Resolves when this many requests have arrived and have started or wait. */
  const arrived = async (count: number): Promise<void> => {
    const until = turnsOf() + 3
    while (replies.length < count || turnsOf() < until) await new Promise(setImmediate)
  }
  return { world, url, begun, replies, hold, arrived }
}

/** Counts the turns of the event loop. */
const countTurns = (t: TestContext): (() => number) => {
  let turns = 0
  let counting: NodeJS.Immediate
  const count = (): void => {
    turns++
    counting = setImmediate(count)
  }
  counting = setImmediate(count)
  t.after(() => clearImmediate(counting))
  return () => turns
}

test('runs a few long requests of an account concurrently, queues some, and rejects the rest with Retry-After', async (t) => {
  const { world, url, begun, hold, arrived } = await startHeld(t, { maxReads: 2, maxWaitingReads: 3 })
  const [noisy, quiet] = [await world.newAccount(), await world.newAccount()]
  const release = hold(noisy)
  const lists = Array.from({ length: 5 }, () => get(url, noisy))
  await arrived(5)
  const refused = await get(url, noisy)
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1'])
  const { code, name } = (await refused.json()) as { code: string; name: string }
  assert.deepEqual([code, name], ['account_busy', 'RATE_LIMIT_EXCEEDED'])
  assert.equal(begun.length, 2)
  assert.equal((await get(url, quiet)).status, 200, 'another account has room of its own')
  assert.equal((await get(url, noisy, '/v1/account')).status, 200, 'small requests do not wait')
  release()
  for (const list of lists) assert.equal((await list).status, 200)
  assert.equal((await get(url, noisy)).status, 200)
})

test('frees the place of a client that disconnects while waiting', async (t) => {
  const { world, url, replies, hold, arrived } = await startHeld(t, { maxReads: 1, maxWaitingReads: 1 })
  const ada = await world.newAccount()
  const release = hold(ada)
  const first = get(url, ada)
  await arrived(1)
  const leaving = new AbortController()
  const gone = get(url, ada, '/v1/contacts', leaving.signal)
  await arrived(2)
  assert.equal((await get(url, ada)).status, 429)
  const closed = once(replies[1] ?? assert.fail(), 'close')
  leaving.abort()
  await assert.rejects(gone)
  await closed
  const next = get(url, ada)
  await arrived(4)
  release()
  assert.deepEqual([(await first).status, (await next).status], [200, 200])
})

test('counts reads and writes separately: an upload does not wait for lists', async (t) => {
  const { world, url, hold, arrived } = await startHeld(t, { maxReads: 1, maxWaitingReads: 0, maxWrites: 1, maxWaitingWrites: 0 })
  const ada = await world.newAccount()
  const release = hold(ada)
  const list = get(url, ada)
  await arrived(1)
  const body = JSON.stringify({ format: 'CSV', base64Content: Buffer.from('Name,Phone\nAda,030 555').toString('base64'), dryRun: true })
  const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' }
  assert.equal((await fetch(`${url}/v1/contacts/import`, { method: 'POST', headers, body })).status, 200)
  release()
  assert.equal((await list).status, 200)
})

test('yields to the event loop between long requests that arrive together', async (t) => {
  const { world, url, begun } = await startHeld(t, { maxReads: 10 })
  const ada = await world.newAccount()
  await Promise.all(Array.from({ length: 10 }, () => get(url, ada)))
  assert.equal(new Set(begun.map(({ turn }) => turn)).size, 10)
})

test('yields to the event loop between small requests of one packet, and alternates between accounts', async (t) => {
  const { world, url, begun } = await startHeld(t)
  const [ada, eve] = [await world.newAccount(), await world.newAccount()]
  const ask = async (path: string, { token }: Person, count: number): Promise<void> => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) })
    t.after(() => socket.destroy())
    let text = ''
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`.repeat(count))
    while (text.split('HTTP/1.1 200').length <= count) await once(socket, 'data')
  }
  await Promise.all([ask('/v1/account', ada, 200), ask('/v1/balance', eve, 1)])
  const perTurn = Map.groupBy(begun, ({ turn }) => turn)
  for (const together of perTurn.values()) assert.ok(together.length <= 8, `${together.length} in one turn`)
  const last = begun.findLastIndex(({ path }) => path === '/v1/account')
  assert.ok(begun.findIndex(({ path }) => path === '/v1/balance') < last)
})

test('reads the whole list in a thread, not on the main one', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  await giveContacts(world, ada, 600)
  await ada.api.listContacts({ limit: 1 })
  const counted = countSqlite(t)
  for (const read of [
    () => ada.api.listContacts({}),
    () => ada.api.exportContacts({ format: 'vcard' }),
    () => ada.api.search({ q: 'person' }),
  ])
    await read()
  assert.deepEqual(
    [...counted.kinds.keys()].filter((sql) => sql.includes('"contact"')),
    [],
  )
})
