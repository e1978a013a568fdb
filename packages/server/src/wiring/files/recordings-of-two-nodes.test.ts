import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { localBus, LocalHub } from '#adapters/bus/local-bus.ts'
import { wavHeaderBytes, writeWavHeader } from '#media/sound/wav.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { freshPostgres } from '#test/store/databases.ts'
import { startWorld, type Person, type World } from '#test/world/world.ts'

const hour = 3_600_000
const rate = 8_000

/** Two nodes without a shared store: each has its own folder. */
const twoNodes = async (t: TestContext) => {
  const settings = {
    DATABASE_URL: await freshPostgres(),
    OFFHOOK_SECRET_KEY: randomBytes(32).toString('base64'),
    OFFHOOK_PUBLIC_URL: 'http://offhook.example',
  }
  const hub = new LocalHub()
  const worlds: World[] = []
  const clock = new VirtualClock(undefined, async () => void (await Promise.all(worlds.map(({ running }) => running.idle()))))
  const open = async (name: string, data?: string): Promise<World> => {
    const own = { ...settings, OFFHOOK_NODE_NAME: name, ...(data !== undefined && { OFFHOOK_DATA: data }) }
    const world = await startWorld(t, { settings: own, sharedClock: clock, replaced: { bus: localBus(hub), pollIntervalMs: 1_000 } })
    worlds.push(world)
    return world
  }
  return { clock, open, here: await open('a'), there: await open('b') }
}

/** A second of a constant, left by a process that was killed. */
const soundOf = (value: number, seconds: number): Uint8Array => {
  const bytes = new Uint8Array(wavHeaderBytes + seconds * rate * 2)
  writeWavHeader(bytes, 1, rate, 0)
  new Int16Array(bytes.buffer, wavHeaderBytes).fill(value)
  return bytes
}

const write = async (world: World, { accountId }: Person, id: string, content: Uint8Array): Promise<string> => {
  const path = world.running.deps.recordingFiles.pathOf({ accountId, id })
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  return path
}

/** A call of 3 seconds at the first node and 2 at the second, which began 5 seconds later. */
const recordAtBoth = async ({ here, there }: { here: World; there: World }, ada: Person) => {
  const { accountId, userId } = ada
  const [first, second, callId] = [randomUUID(), randomUUID(), randomUUID()]
  const path = await write(here, ada, first, soundOf(1, 3))
  const bytes = (await write(there, ada, second, soundOf(2, 2)), wavHeaderBytes + 2 * rate * 2)
  const at = here.clock.now()
  const of = { accountId, callId, kind: 'CALL' as const }
  const placeOf = (world: World) => world.running.deps.recordingFiles.place
  await here.write(async (tables) => {
    const left = { id: first, durationMs: 0, bytes: 0, truncated: true, awaited: true, place: placeOf(here) }
    await tables.recordings.insert({ ...of, ...left, createdAt: at })
    const rest = { id: second, durationMs: 2_000, bytes, truncated: false, place: placeOf(there), partOf: first }
    await tables.recordings.insert({ ...of, ...rest, createdAt: at + 5_000 })
    const names = { source: '+4915112345678', target: '+4921112345678', sourceAlias: '', targetAlias: '' }
    const marks = { read: false, archived: false, starred: false, note: '', labels: [] }
    const what = { type: 'CALL', direction: 'INCOMING', status: 'PICKUP' } as const
    const detail = { duration: 7, recordings: [{ id: first, parts: 2 }] }
    const entry = { id: callId, userId, sessionId: callId, createdAt: at, modifiedAt: at, detail }
    await tables.history.insert(accountId, { ...entry, ...names, ...marks, ...what, connectionIds: [], endpoints: [] })
  })
  return { id: first, second, entryId: callId, path }
}

const samplesIn = (bytes: Buffer): number[] => Array.from({ length: 7 }, (_, nth) => bytes.readInt16LE(wavHeaderBytes + nth * rate * 2))

const filesOf = async (world: World, { accountId }: Person): Promise<string[]> =>
  readdir(join(world.data, 'recordings', accountId)).catch(() => [])

test('serves the files of two nodes as one recording at both, with its gap', async (t) => {
  const nodes = await twoNodes(t)
  const { here, there, clock } = nodes
  const ada = await here.newAccount()
  const { id, second, entryId } = await recordAtBoth(nodes, ada)
  await clock.advance(301_000)
  const { recordings = [] } = await ada.api.getHistoryEntry({ userId: ada.userId, entryId })
  assert.deepEqual(
    recordings.map(({ url: _url, ...about }) => about),
    [{ id, gaps: [{ at: 3, seconds: 2 }] }],
  )
  for (const world of [here, there]) {
    const url = (recordings[0]?.url ?? '').replace('http://offhook.example', world.url)
    const reply = await fetch(url)
    assert.equal(reply.status, 200)
    const whole = Buffer.from(await reply.arrayBuffer())
    assert.equal(whole.length, wavHeaderBytes + 7 * rate * 2)
    assert.deepEqual(samplesIn(whole), [1, 1, 1, 0, 0, 2, 2])
    const range = await fetch(url, { headers: { range: 'bytes=48000-48099' } })
    assert.deepEqual(Buffer.from(await range.arrayBuffer()), whole.subarray(48_000, 48_100))
    const part = await fetch(`${world.url}/v2/recordings/${second}`, { headers: { authorization: `Bearer ${ada.token}` } })
    assert.equal(part.status, 404, 'a file of a recording has no address of its own')
  }
})

test('answers 503 while the machine with the first file is away, and silence after a day', async (t) => {
  const nodes = await twoNodes(t)
  const { here, there, clock } = nodes
  const ada = await there.newAccount()
  const { id, entryId, path } = await recordAtBoth(nodes, ada)
  await here.running.close()
  await clock.advance(301_000)
  const stateOf = async () => {
    const [recording] = (await ada.api.getHistoryEntry({ userId: ada.userId, entryId })).recordings ?? []
    const url = recording?.url.replace('http://offhook.example', there.url) ?? ''
    const reply = await fetch(url)
    return { gaps: recording?.gaps, pending: recording?.pending, status: reply.status, reply }
  }
  const away = await stateOf()
  assert.deepEqual([away.status, away.pending, away.reply.headers.get('retry-after')], [503, true, '30'])
  assert.match(await away.reply.text(), /machine a, which is away/)
  await clock.jump(24 * hour)
  await clock.advance(301_000)
  const after = await stateOf()
  assert.deepEqual([after.status, after.pending, after.gaps], [200, undefined, [{ at: 0, seconds: 5 }]])
  assert.deepEqual(samplesIn(Buffer.from(await after.reply.arrayBuffer())), [0, 0, 0, 0, 0, 2, 2])
  // Its disk comes back later, here in the folder of the other node.
  await rename(path, join(there.data, 'recordings', ada.accountId, `${id}.wav`))
  const late = await stateOf()
  assert.deepEqual(samplesIn(Buffer.from(await late.reply.arrayBuffer())), [1, 1, 1, 0, 0, 2, 2])
})

test('erases the files at both nodes', async (t) => {
  const nodes = await twoNodes(t)
  const { here, there, clock } = nodes
  const ada = await there.newAccount()
  const { id } = await recordAtBoth(nodes, ada)
  await ada.api.deleteRecording({ recordingId: id })
  await clock.advance(2_000)
  assert.deepEqual([await filesOf(here, ada), await filesOf(there, ada)], [[], []])
  assert.deepEqual(await there.running.deps.store.read.recordings.list(ada.accountId, 9), [])
})

test('erases the file of a node that was away when it is back', async (t) => {
  const nodes = await twoNodes(t)
  const { here, there, clock, open } = nodes
  const ada = await there.newAccount()
  const { id, path } = await recordAtBoth(nodes, ada)
  await here.running.close()
  await ada.api.deleteRecording({ recordingId: id })
  await clock.advance(2_000)
  assert.deepEqual([(await filesOf(here, ada)).length, await filesOf(there, ada)], [1, []])
  const longAgo = (clock.now() - 25 * hour) / 1000
  await utimes(path, longAgo, longAgo)
  const back = await open('a', here.data)
  await back.running.idle()
  assert.deepEqual(await filesOf(here, ada), [])
})
