import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { disableUser } from '#core/account/accounts/change-user.ts'
import type { HistoryDetail } from '#core/kernel/ports/store/call.ts'

interface Recorded {
  id: string
  entryId: string
  callId: string
  path: string
  content: Buffer
}

/** A recorded call of this person. */
const record = async (world: World, { accountId, userId }: Person, bytes = 1_000): Promise<Recorded> => {
  const [id, callId, entryId] = [randomUUID(), randomUUID(), randomUUID()]
  const path = join(world.data, 'recordings', accountId, `${id}.wav`)
  const content = randomBytes(bytes)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  const at = world.clock.now()
  await world.write(async (tables) => {
    await tables.recordings.insert({ id, accountId, callId, kind: 'CALL', createdAt: at, durationMs: 60, bytes, truncated: false })
    const names = { source: '+4915112345678', target: '+4921112345678', sourceAlias: '', targetAlias: 'Desk' }
    const marks = { read: false, archived: false, starred: false, note: '', labels: [] }
    const what = { type: 'CALL', direction: 'INCOMING', status: 'PICKUP' } as const
    const detail = { duration: 1, callStatus: 'SUCCESS', recordings: [{ id }] } satisfies HistoryDetail
    const entry = { id: entryId, userId, sessionId: callId, ...what, ...names, ...marks, createdAt: at, modifiedAt: at }
    await tables.history.insert(accountId, { ...entry, connectionIds: [], endpoints: [], detail })
  })
  return { id, entryId, callId, path, content }
}

const urlOf = async ({ api, userId }: Person, { entryId }: Recorded): Promise<string> =>
  (await api.getHistoryEntry({ userId, entryId })).recordingUrl ?? assert.fail('no recordingUrl')

const codeOf = async (reply: Response): Promise<string> => ((await reply.json()) as { code: string }).code

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

const fetched = async (url: string, init?: RequestInit) => {
  const reply = await fetch(url, init)
  return { status: reply.status, headers: reply.headers, body: Buffer.from(await reply.arrayBuffer()) }
}

/** A letter other than the last one. */
const last = (url: string): string => (url.endsWith('A') ? 'B' : 'A')

/** The path unchanged; fetch would normalise it. */
const statusOf = (url: string, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    get({ hostname, port, path }, (reply) => {
      reply.resume()
      resolve(reply.statusCode ?? 0)
    }).on('error', reject)
  })

for (const database of databases) {
  test(`${database}: serves the file by its signed address, whole or in part, without a token`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const recording = await record(world, ada, 200_000)
    const { content, id } = recording
    const url = await urlOf(ada, recording)
    assert.ok(url.startsWith(`${world.url}/v2/recordings/${id}?`))
    const whole = await fetched(url)
    assert.equal(whole.status, 200)
    assert.ok(whole.body.equals(content))
    const header = (name: string) => whole.headers.get(name)
    assert.deepEqual(['content-type', 'content-length', 'cache-control', 'accept-ranges', 'x-content-type-options'].map(header), [
      'audio/wav',
      '200000',
      'private, no-store',
      'bytes',
      'nosniff',
    ])
    assert.match(header('content-disposition') ?? '', /^attachment; filename="call-\d{4}-[\dT-]+Z\.wav"$/)
    const etag = header('etag') ?? assert.fail('no etag')

    const parts: [string, number, number][] = [
      ['bytes=0-0', 0, 0],
      ['bytes=100-199', 100, 199],
      ['bytes=199000-', 199_000, 199_999],
      ['bytes=199000-999999999', 199_000, 199_999],
      ['bytes=-44', 199_956, 199_999],
      ['bytes=-999999999', 0, 199_999],
    ]
    for (const [range, first, last] of parts) {
      const part = await fetched(url, { headers: { range } })
      assert.equal(part.status, 206, range)
      assert.equal(part.headers.get('content-range'), `bytes ${first}-${last}/200000`)
      assert.ok(part.body.equals(content.subarray(first, last + 1)), range)
    }
    for (const range of ['bytes=200000-', 'bytes=999999999-', 'bytes=-0']) {
      const none = await fetch(url, { headers: { range } })
      assert.deepEqual([none.status, none.headers.get('content-range')], [416, 'bytes */200000'])
      assert.equal(await codeOf(none), 'range_not_satisfiable')
    }
    for (const range of ['bytes=5-1', 'bytes=0-1,5-6', 'pieces=0-1', 'bytes=x-', 'bytes=-', ''])
      assert.equal((await fetched(url, { headers: { range } })).body.length, 200_000, range)
    assert.equal((await fetched(url, { headers: { range: 'bytes=0-0', 'if-range': etag } })).status, 206)
    assert.equal((await fetched(url, { headers: { range: 'bytes=0-0', 'if-range': '"other"' } })).status, 200)

    const head = await fetched(url, { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers.get('content-length'), head.body.length], [200, '200000', 0])
    const headOfPart = await fetched(url, { method: 'HEAD', headers: { range: 'bytes=100-' } })
    assert.deepEqual([headOfPart.status, headOfPart.headers.get('content-length'), headOfPart.body.length], [206, '199900', 0])
    assert.equal((await fetched(url, { method: 'HEAD', headers: { range: 'bytes=200000-' } })).status, 416)
    assert.equal((await fetch(url, { method: 'DELETE' })).status, 401, 'the address is only for reading')
    const empty = await record(world, ada, 0)
    const nothing = await urlOf(ada, empty)
    assert.deepEqual([(await fetched(nothing)).status, (await fetched(nothing, { headers: { range: 'bytes=0-' } })).status], [200, 416])
  })

  test(`${database}: rejects a changed, expired or foreign link`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    const recording = await record(world, bob, 100)
    const url = await urlOf(bob, recording)
    const own = await record(world, eve, 100)
    const start = url.indexOf(recording.id)
    for (let at = start; at < url.length; at++) {
      const changed = url.slice(0, at) + (url[at] === '1' ? '2' : '1') + url.slice(at + 1)
      const reply = await fetch(changed)
      // Without its question mark it is an ordinary address, which requires a token.
      assert.equal(reply.status, url[at] === '?' ? 401 : 403, changed)
    }
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (const letter of letters.replace(url.at(-1) ?? '', '')) assert.equal((await fetch(url.slice(0, -1) + letter)).status, 403, letter)
    assert.equal((await fetch(url.slice(0, -1) + last(url), { method: 'HEAD' })).status, 403)
    for (const path of ['..%2f', '%2e%2e/', './', '/', '..%5c'])
      assert.ok([401, 403, 404].includes(await statusOf(url, `/v2/recordings/${path}${url.slice(start)}`)), path)
    for (const changed of [`${url}&a=b`, `${url}&`, url.slice(0, -1), url.replace('?', '?a=b&'), url.replace('user=', 'user=&user=')])
      assert.equal(await codeOf(await fetch(changed)), 'recording_link_invalid', changed)
    const theirs = await urlOf(eve, own)
    assert.equal((await fetch(theirs.replace(own.id, recording.id))).status, 403)
    assert.equal((await fetch(theirs.replace(eve.accountId, ada.accountId))).status, 403)

    await world.clock.jump(15 * 60_000 - 1_001)
    assert.equal((await fetch(url)).status, 200)
    await world.clock.advance(1_001)
    assert.equal(await codeOf(await fetch(url)), 'recording_link_invalid')

    const again = await urlOf(bob, recording)
    await world.write((tables) => tables.history.update(ada.accountId, recording.entryId, { userId: ada.userId }, world.clock.now()))
    assert.equal((await fetch(again)).status, 403, 'the entry is not theirs any more')
    await world.write((tables) => tables.history.update(ada.accountId, recording.entryId, { userId: bob.userId }, world.clock.now()))
    assert.equal((await fetch(again)).status, 200)
    await world.write((tables) => disableUser(tables, world.running.deps, ada.accountId, bob.userId))
    assert.equal((await fetch(again)).status, 403, 'the user is gone')
  })

  test(`${database}: serves it with a token to users who may see the entry, and audits every access`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const [bob, carl] = [await world.newUser(ada.accountId), await world.newUser(ada.accountId)]
    const eve = await world.newAccount()
    const recording = await record(world, bob)
    const { id } = recording
    for (const person of [bob, ada]) assert.ok(recording.content.equals(await person.api.getRecording({ recordingId: id })))
    for (const person of [carl, eve]) {
      await assert.rejects(person.api.getRecording({ recordingId: id }), { status: 404 })
      await assert.rejects(person.api.deleteRecording({ recordingId: id }), { status: 404 })
    }
    const url = `${world.url}/v2/recordings/${id}`
    assert.equal((await fetch(url)).status, 401)
    for (const odd of ['..%2f..%2foffhook.db', '..', '%2e%2e', `${ada.accountId}%2f${id}.wav`, `${id}.wav`, 'x'.repeat(65), '%00'])
      assert.ok([400, 404].includes((await fetch(`${world.url}/v2/recordings/${odd}`, bearer(ada.token))).status), odd)
    await rm(recording.path)
    assert.equal(await codeOf(await fetch(url, bearer(bob.token))), 'recording_not_found')

    const audit = (await world.running.deps.store.read.audit.list(ada.accountId, { afterSeq: 0, limit: 100 })).filter(
      ({ action, target }) => action === 'recording.read' && target === id,
    )
    assert.deepEqual(
      audit.map(({ actor }) => actor),
      [`user:${bob.userId}`, `user:${ada.userId}`],
    )
  })

  test(`${database}: erases file, row and reference, and retries a failed erasure later`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const { store } = world.running.deps
    const first = await record(world, ada)
    await ada.api.deleteRecording({ recordingId: first.id })
    assert.equal(existsSync(first.path), false)
    assert.equal(await store.read.recordings.find(ada.accountId, first.id), undefined)
    const entry = await ada.api.getHistoryEntry({ userId: ada.userId, entryId: first.entryId })
    assert.deepEqual([entry.recordings, entry.recordingUrl, entry.duration], [undefined, undefined, 1])
    await assert.rejects(ada.api.deleteRecording({ recordingId: first.id }), { status: 404 })

    const second = await record(world, ada)
    await ada.api.deleteHistoryEntry({ userId: ada.userId, entryId: second.entryId })
    assert.equal(existsSync(second.path), false)
    assert.equal(await store.read.recordings.find(ada.accountId, second.id), undefined)

    const stubborn = await record(world, ada)
    await rm(stubborn.path)
    await mkdir(stubborn.path)
    await ada.api.deleteRecording({ recordingId: stubborn.id })
    world.running.deps.wake()
    await world.running.idle()
    assert.equal(existsSync(stubborn.path), true)
    await rm(stubborn.path, { recursive: true })
    await writeFile(stubborn.path, stubborn.content)
    await world.clock.advance(60_000)
    assert.equal(existsSync(stubborn.path), false)
  })

  test(`${database}: erases the recordings of a removed user or account`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const [of, others] = [await record(world, bob), await record(world, ada)]
    const shared = await record(world, bob)
    const change = { connectionIds: ['g7'] }
    await world.write((tables) => tables.history.update(ada.accountId, shared.entryId, change, world.clock.now()))
    const operator = await world.operator()
    await operator.disableUser({ accountId: ada.accountId, userId: bob.userId })
    world.running.deps.wake()
    await world.running.idle()
    assert.deepEqual(
      [of, others, shared].map(({ path }) => existsSync(path)),
      [false, true, true],
    )
    await operator.closeAccount({ accountId: ada.accountId })
    world.running.deps.wake()
    await world.running.idle()
    assert.deepEqual(
      [others, shared].map(({ path }) => existsSync(path)),
      [false, false],
    )
    assert.deepEqual(await world.running.deps.store.read.recordings.list(ada.accountId, 10), [])
  })
}

test('leaves no open file after an aborted download', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const recording = await record(world, ada)
  await truncate(recording.path, 300_000_000) // a sparse file, which takes no disk space
  const isOpen = () =>
    readdirSync('/proc/self/fd').some((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === recording.path
      } catch {
        return false
      }
    })
  const url = await urlOf(ada, recording)
  await new Promise<void>((resolve, reject) => {
    const request = get(url, (reply) => {
      reply.once('data', () => {
        assert.equal(isOpen(), true)
        request.destroy()
        resolve()
      })
    })
    request.on('error', reject)
  })
  while (isOpen()) await setImmediate()
  // Disconnects before there is anything to send.
  for (let turns = 0; turns < 12; turns++) {
    const request = get(url).on('error', () => {})
    await once(request, 'finish')
    for (let turn = 0; turn < turns; turn++) await setImmediate()
    request.destroy()
    await world.running.idle()
    while (isOpen()) await setImmediate()
  }
  for (const init of [{ method: 'HEAD' }, { headers: { range: 'bytes=400000000-' } }]) {
    await fetched(url, init)
    while (isOpen()) await setImmediate()
  }
})
