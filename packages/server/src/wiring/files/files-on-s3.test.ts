// test: slow
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { localBus, LocalHub } from '#adapters/bus/local-bus.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { gateTo } from '#test/machine/gate.ts'
import { until } from '#test/machine/peer-process.ts'
import { readArchive } from '#test/privacy/read-archive.ts'
import { startSwift } from '#test/peers/swift.ts'
import { freshPostgres } from '#test/store/databases.ts'
import { startWorld, type Person, type World } from '#test/world/world.ts'
import type { HistoryDetail } from '#core/kernel/ports/store/call.ts'
import { incomingFax } from '#core/messages/fax/state/new-fax.ts'
import type { LogEventCode } from '#log/log-events.ts'

/** Two machines of one installation, each with its own folder. */
const twoMachines = async (t: TestContext) => {
  const swift = await startSwift(t)
  if (!swift) return undefined
  const gate = await gateTo(t, Number(new URL(swift.url).port))
  const settings = {
    DATABASE_URL: await freshPostgres(),
    OFFHOOK_SECRET_KEY: randomBytes(32).toString('base64'),
    OFFHOOK_PUBLIC_URL: 'http://offhook.example',
    OFFHOOK_FILES: `s3://${swift.bucket}/offhook`,
    OFFHOOK_S3_URL: `http://127.0.0.1:${gate.port}`,
    OFFHOOK_S3_KEY: swift.key,
    OFFHOOK_S3_SECRET: swift.secret,
  }
  const hub = new LocalHub()
  const clock = new VirtualClock()
  const logged: { code: LogEventCode; why: unknown }[] = []
  const open = (more: Record<string, string> = {}): Promise<World> =>
    startWorld(t, {
      settings: { ...settings, ...more },
      sharedClock: clock,
      replaced: { bus: localBus(hub), log: (code, fields) => void logged.push({ code, why: fields?.why }) },
    })
  const [here, there] = [await open(), await open()]
  /** The same address at another machine, as a proxy in front of both may choose it. */
  const at = (world: World, url: string | undefined): string =>
    (url ?? assert.fail('no address')).replace('http://offhook.example', world.url)
  return { gate, clock, logged, here, there, open, at }
}

interface Entry {
  type: 'CALL' | 'FAX'
  id: string
  detail: HistoryDetail
  connectionIds: string[]
}

const enter = (world: World, { accountId, userId }: Person, { type, id, detail, connectionIds }: Entry): Promise<unknown> => {
  const at = world.clock.now()
  const names = { source: '+4915112345678', target: '+4921112345678', sourceAlias: '', targetAlias: '' }
  const marks = { read: false, archived: false, starred: false, note: '', labels: [] }
  const what = { type, direction: 'INCOMING', status: 'PICKUP' } as const
  const times = { createdAt: at, modifiedAt: at }
  return world.write((tables) =>
    tables.history.insert(accountId, {
      id,
      userId,
      sessionId: id,
      ...what,
      ...names,
      ...marks,
      ...times,
      detail,
      connectionIds,
      endpoints: [],
    }),
  )
}

/** A call recorded by this machine. */
const record = async (world: World, person: Person, content: Buffer): Promise<string> => {
  const [id, callId] = [randomUUID(), randomUUID()]
  const { accountId } = person
  const { recordingFiles } = world.running.deps
  const path = recordingFiles.pathOf({ accountId, id })
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  await recordingFiles.written({ accountId, id })
  const facts = { createdAt: world.clock.now(), durationMs: 60, bytes: content.length, truncated: false }
  await world.write((tables) => tables.recordings.insert({ id, accountId, callId, kind: 'CALL', ...facts }))
  await enter(world, person, { type: 'CALL', id: callId, detail: { duration: 1, recordings: [{ id }] }, connectionIds: [] })
  return callId
}

/** A fax received by this machine. */
const receiveFax = async (world: World, person: Person): Promise<string> => {
  const { accountId, userId } = person
  const id = randomUUID()
  const [line] = (await person.api.listFaxlines({ userId })).items
  const faxlineId = line?.id ?? assert.fail('no fax line')
  const fax = incomingFax({ accountId, id, userId, faxlineId, sender: '+49301', recipient: '+49302', owner: undefined }, world.clock.now())
  await world.write((tables) => tables.faxes.insert({ ...fax, state: 'RECEIVED', pages: 1 }))
  for (const kind of ['document', 'preview'] as const)
    await world.running.deps.faxFiles.write({ accountId, faxId: id, kind }, Buffer.from(`the ${kind}`))
  await enter(world, person, { type: 'FAX', id, detail: { papers: ['document', 'preview'] }, connectionIds: [faxlineId] })
  return id
}

const filesIn = async (world: World, accountId: string): Promise<string[]> => {
  const found: string[] = []
  for (const kind of ['recordings', 'faxes'])
    for (const { name, parentPath } of await readdir(join(world.data, kind, accountId), { recursive: true, withFileTypes: true }).catch(
      () => [],
    ))
      if (name.includes('.')) found.push(join(parentPath, name))
  return found
}

test('serves and erases recordings and faxes of one machine at every machine', async (t) => {
  const machines = await twoMachines(t)
  if (!machines) return
  const { here, there, at } = machines
  const ada = await here.newAccount()
  const { userId } = ada
  const content = randomBytes(2_500_000)
  const [callId, faxId] = [await record(here, ada, content), await receiveFax(here, ada)]
  for (const world of [here, there]) await world.running.idle()
  assert.deepEqual([...(await filesIn(here, ada.accountId)), ...(await filesIn(there, ada.accountId))], [], 'all is in the store')
  const { recordingUrl } = await ada.api.getHistoryEntry({ userId, entryId: callId })
  const { documentUrl, previewUrl } = await ada.api.getHistoryEntry({ userId, entryId: faxId })
  for (const world of [here, there]) {
    const whole = await fetch(at(world, recordingUrl))
    assert.equal(whole.status, 200)
    assert.ok(content.equals(Buffer.from(await whole.arrayBuffer())))
    const part = await fetch(at(world, recordingUrl), { headers: { range: 'bytes=1500000-1500009' } })
    assert.deepEqual([part.status, part.headers.get('content-range')], [206, 'bytes 1500000-1500009/2500000'])
    assert.ok(content.subarray(1_500_000, 1_500_010).equals(Buffer.from(await part.arrayBuffer())))
    assert.equal(await (await fetch(at(world, documentUrl))).text(), 'the document')
    assert.equal(await (await fetch(at(world, previewUrl))).text(), 'the preview')
  }
  const tags = await Promise.all(
    [here, there].map(async (world) => (await fetch(at(world, recordingUrl), { method: 'HEAD' })).headers.get('etag')),
  )
  assert.equal(tags[0], tags[1])
  await there.client(ada.token).deleteHistoryEntry({ userId, entryId: faxId })
  for (const world of [here, there]) await world.running.idle()
  for (const world of [here, there]) assert.equal((await fetch(at(world, documentUrl))).status, 404)
  assert.deepEqual(await listed(here), [1, 0], 'of the fax nothing is left')
})

test('serves an export archive of one machine at every machine, and removes it from the store at an erasure', async (t) => {
  const machines = await twoMachines(t)
  if (!machines) return
  const { here, there, clock } = machines
  const ada = await here.newAccount()
  const bob = await here.newUser(ada.accountId)
  const content = randomBytes(300_000)
  await record(here, bob, content)
  for (const world of [here, there]) await world.running.idle()
  const { id: exportId } = await ada.api.createDataExport({}, { subject: { type: 'USER', id: bob.userId } })
  for (const world of [here, there]) await world.running.idle()
  const [one, other] = await Promise.all(
    [here, there].map(async (world) => readArchive(await world.client(ada.token).getDataExportArchive({ exportId }))),
  )
  assert.deepEqual(one, other)
  const sounds = Object.entries(one ?? {}).filter(([name]) => name.startsWith('files/'))
  assert.ok(sounds.length === 1 && sounds[0]?.[1].equals(content))
  const archives = async (): Promise<number> => {
    let count = 0
    for await (const _ of there.running.deps.exportArchives.list()) count++
    return count
  }
  assert.equal(await archives(), 1)
  await ada.api.createErasure({}, { subject: { type: 'USER', id: bob.userId }, graceDays: 1 })
  for (const ms of [24 * 3_600_000, 60_000]) {
    await clock.jump(ms)
    for (const world of [here, there]) await world.running.idle()
  }
  assert.deepEqual([(await ada.api.listErasures()).items[0]?.state, await archives(), await listed(here)], ['DONE', 0, [0, 0]])
})

const listed = async (world: World): Promise<[recordings: number, faxes: number]> => {
  const counts: [number, number] = [0, 0]
  for await (const _ of world.running.deps.recordingFiles.list()) counts[0]++
  for await (const _ of world.running.deps.faxFiles.list()) counts[1]++
  return counts
}

test('serves local files while the store is unavailable, answers 503 elsewhere, and recovers', async (t) => {
  const machines = await twoMachines(t)
  if (!machines) return
  const { gate, clock, here, there, at, logged } = machines
  const ada = await here.newAccount()
  await gate.shut()
  const entryId = await record(here, ada, randomBytes(1_000))
  const { recordingUrl } = await ada.api.getHistoryEntry({ userId: ada.userId, entryId })
  assert.equal((await fetch(at(here, recordingUrl))).status, 200)
  const early = await fetch(at(there, recordingUrl))
  assert.deepEqual([early.status, early.headers.get('retry-after')], [503, '30'])
  await clock.advance(10 * 60_000)
  assert.equal((await filesIn(here, ada.accountId)).length, 1)
  await gate.open()
  const soon = await fetch(at(there, recordingUrl))
  assert.deepEqual([soon.status, soon.headers.get('retry-after')], [503, '2'])
  await clock.advance(60_000)
  await here.running.idle()
  assert.equal((await fetch(at(there, recordingUrl))).status, 200)
  await until('no local copy, which stays while it is read', async () => (await filesIn(here, ada.accountId)).length === 0)
  const about = logged.filter(({ code }) => code.startsWith('files_store'))
  const reasons = about.slice(0, -1).map(({ why }) => why)
  // A busy machine may see several reasons, such as a connection that breaks off; ten minutes of attempts repeat none.
  assert.ok(reasons.length > 0 && new Set(reasons).size === reasons.length, reasons.join('\n'))
  assert.deepEqual(
    about.map(({ code }) => code),
    [...reasons.map(() => 'files_store_unavailable'), 'files_store_available'],
  )
})

test('starts with a wrong secret, logs it, and keeps files until it is corrected', async (t) => {
  const machines = await twoMachines(t)
  if (!machines) return
  const { open, logged } = machines
  const world = await open({ OFFHOOK_S3_SECRET: 'wrong' })
  const ada = await world.newAccount()
  await record(world, ada, randomBytes(100))
  await world.running.idle()
  assert.ok(logged.some(({ code }) => code === 'files_store_unavailable'))
  assert.equal((await filesIn(world, ada.accountId)).length, 1)
})
