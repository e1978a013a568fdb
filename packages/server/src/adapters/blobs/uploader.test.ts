import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { gateTo } from '#test/machine/gate.ts'
import { startSwift, type SwiftPeer } from '#test/peers/swift.ts'
import { openTestStore, temporaryFolder } from '#test/store/databases.ts'
import { realClock } from '#adapters/clock/clocks.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import { incomingFax } from '#core/messages/fax/state/new-fax.ts'
import { recordingSweeps } from '#core/telephone/recordings/recording-sweep.ts'
import { wavHeaderBytes, writeWavHeader } from '#media/sound/wav.ts'
import { faxFiles } from './fax-files.ts'
import { folderBlobs } from './folder-blobs.ts'
import { orphans } from './leftovers.ts'
import { recordingFiles } from './recording-files.ts'
import { s3Blobs } from './s3-blobs.ts'
import { Pieces } from './pieces.ts'
import { Uploader } from './uploader.ts'
import { UploadingFileStore } from './uploading-file-store.ts'

const minute = 60_000

let swift: Promise<SwiftPeer | undefined> | undefined
const cleanups: (() => unknown)[] = []
after(async () => {
  for (const cleanUp of cleanups) await cleanUp()
})

let prefixes = 0

const allOf = async <T>(list: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = []
  for await (const one of list) found.push(one)
  return found
}

/** One installation with a separate store; `machine` opens it on another machine, as after a restart or in parallel to the first. */
const openInstallation = async (t: TestContext) => {
  const peer = await (swift ??= startSwift(t, { after: (cleanUp) => void cleanups.push(cleanUp) }))
  if (!peer) return undefined
  const gate = await gateTo(t, Number(new URL(peer.url).port))
  const clock = new VirtualClock(Date.now())
  const store = await openTestStore(t, 'sqlite')
  const input = { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' } as const
  const accountId = await store.write((tables) => createAccount(tables, clock, input))
  const { key, secret, region, bucket } = peer
  const names = { key, secret, region, bucket, url: `http://127.0.0.1:${gate.port}`, prefix: `test-${++prefixes}/` }
  const remote = s3Blobs({ ...names, style: 'path', encryption: undefined, clock: realClock() })
  t.after(() => remote.close())
  const machine = async (folder?: string) => {
    const root = folder ?? (await temporaryFolder(t))
    const local = folderBlobs(root)
    const said: (string | undefined)[] = []
    const pieces: Pieces = new Pieces({ local, remote, clock, onFailure: (error) => uploader.failed(error) })
    const uploader: Uploader = new Uploader({
      local,
      remote,
      store,
      clock,
      place: 'a machine',
      leftovers: () => orphans({ local, store, wallClock: clock }),
      onUploaded: (key) => pieces.remove(key),
      onChange: (failure) => said.push(failure?.message),
    })
    const fileStore = new UploadingFileStore({ local, remote, store, uploader, pieces })
    const close = async () => {
      await pieces.close()
      await uploader.close()
      await uploader.ended()
    }
    t.after(close)
    const recordings = recordingFiles({ fileStore, folder: root })
    /** Like the recorder. */
    const record = async (id: string, content: string | Uint8Array = 'sound') => {
      const path = recordings.pathOf({ accountId, id })
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
      return path
    }
    const left = () => readdir(`${root}/recordings/${accountId}`).catch(() => [])
    return { root, local, uploader, shelf: fileStore, recordings, faxes: faxFiles(fileStore), pieces, record, left, said, close }
  }
  return { clock, store, accountId, remote, gate, machine }
}

test('uploads a file once it is complete, keeps its time, and removes the local copy', async (t) => {
  const installation = await openInstallation(t)
  if (!installation) return
  const { accountId, store, machine } = installation
  const [here, there] = [await machine(), await machine()]
  const file = { accountId, id: 'one' }
  const path = await here.record('one', 'x'.repeat(3_000_000))
  here.uploader.start()
  await here.uploader.idle()
  await utimes(path, 1_700_000_000, 1_700_000_000)
  assert.equal(await there.recordings.open(file), undefined)
  await here.recordings.written(file)
  await here.uploader.idle()
  assert.deepEqual(await here.left(), [])
  assert.equal(await store.read.uploads.find(`recordings/${accountId}/one.wav`), undefined)
  const opened = await there.recordings.open(file)
  assert.deepEqual([opened?.bytes, opened?.changedAt], [3_000_000, 1_700_000_000_000])
  assert.equal(Buffer.from((await opened?.read(1_048_570, 20)) ?? []).toString(), 'x'.repeat(20))
  assert.equal((await opened?.read(2_999_990, 100))?.length, 10)
  assert.deepEqual(
    (await allOf(there.recordings.list())).map(({ id }) => id),
    ['one'],
  )
  await there.recordings.erase(file)
  assert.equal(await here.recordings.open(file), undefined)
})

test('loses no file in an outage of ten minutes, reports it once, and makes readers wait', async (t) => {
  const installation = await openInstallation(t)
  if (!installation) return
  const { accountId, clock, gate, machine } = installation
  const [here, there] = [await machine(), await machine()]
  await gate.shut()
  for (const id of ['one', 'two', 'three']) {
    await here.record(id)
    await here.recordings.written({ accountId, id })
  }
  for (let minutes = 0; minutes < 10; minutes++) {
    await here.uploader.idle()
    await clock.advance(minute)
  }
  await here.uploader.idle()
  assert.equal((await here.left()).length, 3)
  const open = await here.recordings.open({ accountId, id: 'one' })
  assert.equal(open?.bytes, 5, 'it is read where it is')
  await open.close()
  await assert.rejects(there.recordings.open({ accountId, id: 'one' }), { code: 'unavailable', retryAfter: 30 })
  assert.deepEqual([here.said.length, /cannot be reached/.test(here.said[0] ?? '')], [1, true])
  await gate.open()
  await assert.rejects(there.recordings.open({ accountId, id: 'one' }), { code: 'unavailable', retryAfter: 2 })
  await clock.advance(minute)
  await here.uploader.idle()
  assert.deepEqual(await here.left(), [])
  assert.deepEqual(here.said.slice(1), [undefined])
  assert.equal((await there.recordings.open({ accountId, id: 'three' }))?.bytes, 5)
})

test('uploads files of a dead process, and leaves files alone that are still being written', async (t) => {
  const installation = await openInstallation(t)
  if (!installation) return
  const { accountId, clock, store, gate, machine } = installation
  const dead = await machine()
  await gate.shut()
  for (const id of ['noted', 'told', 'forgotten', 'young', 'running']) await dead.record(id)
  const old = (clock.now() - 11 * minute) / 1000
  for (const id of ['forgotten', 'running']) await utimes(dead.recordings.pathOf({ accountId, id }), old, old)
  await dead.recordings.written({ accountId, id: 'noted' })
  await store.write(async (tables) => {
    const notified = { id: 'told', accountId, callId: 'c', kind: 'CALL', createdAt: 1, durationMs: 1, bytes: 5, truncated: false } as const
    await tables.recordings.insert(notified)
    const recordings = [{ accountId, id: 'running', kind: 'CALL', at: 1 }] as const
    const snapshot = { startedAt: 1, sides: [], meters: [], recordings, dialogs: [] }
    await tables.runningCalls.open({ callId: 'r', owner: 'o', epoch: 1, startedAt: 1, savedAt: 1, snapshot })
  })
  await dead.close()
  await gate.open()
  const next = await machine(dead.root)
  next.uploader.start()
  await next.uploader.idle()
  assert.deepEqual(new Set(await next.left()), new Set(['running.wav', 'young.wav']))
  for (const id of ['noted', 'told', 'forgotten']) assert.equal((await next.recordings.open({ accountId, id }))?.bytes, 5)
})

test('reports a recording of a dead machine immediately, and measures it after that machine has uploaded it', async (t) => {
  const installation = await openInstallation(t)
  if (!installation) return
  const { accountId, clock, store, machine } = installation
  const [dead, other] = [await machine(), await machine()]
  const id = 'cut-off'
  const unclosed = new Uint8Array(wavHeaderBytes + 16_000)
  writeWavHeader(unclosed, 1, 8_000, 0)
  const path = await dead.record(id, unclosed)
  // The call continues, or ends, on another machine.
  const left = (await other.recordings.leftBy({ accountId, id })) ?? assert.fail('it would be forgotten')
  assert.deepEqual(left, { durationMs: 0, bytes: 0, awaited: true })
  await store.write((tables) =>
    tables.recordings.insert({ id, accountId, callId: 'c', kind: 'CALL', createdAt: clock.now(), ...left, truncated: true }),
  )
  const again = await machine(dead.root)
  again.uploader.start()
  await again.uploader.idle()
  await assert.rejects(readFile(path), { code: 'ENOENT' })
  assert.equal((await other.recordings.open({ accountId, id }))?.bytes, unclosed.length)
  await clock.advance(11 * minute)
  for (const { work } of recordingSweeps({ store, clock, wallClock: clock, files: other.recordings, retentionDays: 0, waitHours: 24 }))
    await work()
  const { durationMs, bytes } = (await store.read.recordings.find(accountId, id)) ?? {}
  assert.deepEqual([durationMs, bytes], [1_000, unclosed.length])
})

test('serves the pieces of a lost machine, makes a file of them after the wait, and erases all of it', async (t) => {
  const installation = await openInstallation(t)
  if (!installation) return
  const { accountId, clock, store, remote, machine } = installation
  const [dead, other] = [await machine(), await machine()]
  const file = { accountId, id: 'cut-off' }
  const growing = new Uint8Array(wavHeaderBytes + 80_000)
  writeWavHeader(growing, 1, 8_000, 0)
  await dead.record(file.id, growing)
  dead.recordings.begun(file)
  await clock.advance(5_000)
  await dead.pieces.idle()
  await dead.close()
  const keys = async () => {
    const found: string[] = []
    for (const prefix of ['recordings/', 'pieces/']) for await (const { key } of remote.list(prefix)) found.push(key.split('/')[0] ?? '')
    return found
  }
  assert.deepEqual(await keys(), ['pieces'])
  const left = (await other.recordings.leftBy(file)) ?? assert.fail('it would be forgotten')
  const row = { ...file, callId: 'c', kind: 'CALL' as const, createdAt: clock.now(), truncated: true }
  await store.write((tables) => tables.recordings.insert({ ...row, ...left }))
  const sweeps = recordingSweeps({ store, clock, wallClock: clock, files: other.recordings, retentionDays: 0, waitHours: 1 })
  const found = async () => {
    for (const { kind, work } of sweeps) if (kind === 'recording.awaited') await work()
    await other.uploader.idle()
    const { durationMs, bytes, awaited } = (await store.read.recordings.find(accountId, file.id)) ?? assert.fail()
    return { durationMs, bytes, awaited }
  }
  assert.deepEqual(await found(), { durationMs: 5_000, bytes: growing.length, awaited: true })
  const open = await other.recordings.open(file)
  assert.deepEqual([open?.partial, open?.bytes], [true, growing.length])
  await clock.jump(61 * minute)
  assert.deepEqual(await found(), { durationMs: 5_000, bytes: growing.length, awaited: false })
  assert.deepEqual([await keys(), (await other.recordings.open(file))?.partial], [['recordings'], undefined])
  await other.recordings.erase(file)
  assert.deepEqual(await keys(), [])
})

test('uploads a file again that is rewritten during its upload, and leaves a started one alone', async (t) => {
  const installation = await openInstallation(t)
  if (!installation) return
  const { accountId, remote, machine } = installation
  const here = await machine()
  const fax = { accountId, faxId: 'fax', kind: 'document' } as const
  const key = `faxes/${accountId}/fax/document.pdf`
  const put = remote.put.bind(remote)
  remote.put = async (...args) => {
    remote.put = put
    const facts = await put(...args)
    await here.local.put(key, [Buffer.from('%PDF, the second')] as never, { type: 'application/pdf' })
    return facts
  }
  await here.faxes.write(fax, Buffer.from('%PDF'))
  await here.uploader.idle()
  assert.equal((await remote.size(key))?.bytes, '%PDF, the second'.length)
  assert.equal(await here.local.size(key), undefined)
  const draft = `${here.local.pathOf(key)}.0a1b2c3d.part`
  await writeFile(draft, 'half')
  here.uploader.again(key)
  await here.uploader.idle()
  assert.equal(await readFile(draft, 'utf8'), 'half')
  assert.equal((await remote.size(key))?.bytes, '%PDF, the second'.length)
})

test('deletes a file that was erased elsewhere before its upload', async (t) => {
  const installation = await openInstallation(t)
  if (!installation) return
  const { accountId, clock, store, remote, gate, machine } = installation
  const [here, there] = [await machine(), await machine()]
  const file = { accountId, id: 'one' }
  await gate.shut()
  await here.record('one')
  await here.recordings.written(file)
  await here.uploader.idle()
  await gate.open()
  await there.recordings.erase(file)
  await clock.advance(minute)
  await here.uploader.idle()
  assert.deepEqual(await here.left(), [])
  assert.equal(await remote.size(`recordings/${accountId}/one.wav`), undefined)
  assert.equal(await store.read.uploads.find(`recordings/${accountId}/one.wav`), undefined)
})

test('lends faxes to engines as local files wherever they are stored, and keeps a lent one', async (t) => {
  const installation = await openInstallation(t)
  if (!installation) return
  const { accountId, clock, store, machine } = installation
  const [here, there] = [await machine(), await machine()]
  const fax = { accountId, faxId: 'fax' }
  await store.write((tables) =>
    tables.faxes.insert(
      incomingFax({ accountId, id: 'fax', userId: 'w0', faxlineId: 'f0', sender: '+49301', recipient: '+49302', owner: undefined }, 1),
    ),
  )
  await here.faxes.write({ ...fax, kind: 'document' }, Buffer.from('%PDF'))
  const own = await here.faxes.lend({ ...fax, kind: 'document' })
  await here.uploader.idle()
  const copy = await there.faxes.lend({ ...fax, kind: 'document' })
  for (const lent of [own, copy]) assert.equal(await readFile(lent?.path ?? '', 'utf8'), '%PDF')
  assert.match(copy?.path ?? '', /fetched/)
  await own?.release()
  await copy?.release()
  await here.uploader.idle()
  await clock.advance(0)
  assert.equal(await here.local.size(`faxes/${accountId}/fax/document.pdf`), undefined)
  await assert.rejects(readFile(copy?.path ?? ''), { code: 'ENOENT' })
  await there.faxes.write({ ...fax, kind: 'preview' }, Buffer.from('PNG'))
  assert.equal(await there.faxes.bytesOf(accountId, 'fax'), 7)
  await there.uploader.idle()
  assert.deepEqual(
    (await allOf(here.faxes.list())).map(({ faxId }) => faxId),
    ['fax'],
  )
  await here.faxes.erase(accountId, 'fax')
  assert.deepEqual(await allOf(there.faxes.list()), [])
  assert.equal(await there.faxes.open({ ...fax, kind: 'document' }), undefined)
})
