import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Problem } from '@offhook/contract/problem.ts'
import { localBus, LocalHub } from '#adapters/bus/local-bus.ts'
import { wavHeaderBytes, writeWavHeader } from '#media/sound/wav.ts'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { folderFileStore } from './file-store.ts'
import { folderBlobs } from './folder-blobs.ts'
import { PeerFiles } from './peer-files.ts'
import { recordingFiles } from './recording-files.ts'

const openMachines = async (t: TestContext) => {
  const hub = new LocalHub()
  const machine = async (place: string, root?: string) => {
    const folder = root ?? (await temporaryFolder(t))
    const [bus, local] = [localBus(hub), folderBlobs(folder)]
    const peerFiles = new PeerFiles({ bus, local, place, onFailure: (error) => assert.fail(String(error)) })
    const close = async () => {
      await peerFiles.close()
      await bus.close()
    }
    t.after(close)
    const recordings = recordingFiles({ fileStore: folderFileStore(local), folder, place, peerFiles })
    const write = async (file: { accountId: string; id: string }, content: Uint8Array) => {
      const path = recordings.pathOf(file)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    }
    return { folder, peerFiles, recordings, write, close }
  }
  return { machine, here: await machine('a /data'), there: await machine('b /data') }
}

const file = { accountId: 'account', id: 'one', place: 'a /data' }
const isAway = (error: unknown): boolean => error instanceof Problem && error.code === 'unavailable' && error.message.includes('machine a,')

test('reads, measures and erases a file in the folder of another node', async (t) => {
  const { here, there } = await openMachines(t)
  const content = randomBytes(1_500_000)
  writeWavHeader(content, 2, 8_000, content.length - wavHeaderBytes)
  await here.write(file, content)
  const open = await there.recordings.open(file)
  assert.equal(open?.bytes, content.length)
  const pieces: Uint8Array[] = []
  for (let at = 0; at < content.length; at += 64 * 1024) pieces.push(Buffer.from(await open.read(at, 64 * 1024)))
  assert.ok(Buffer.concat(pieces).equals(content))
  assert.deepEqual(Buffer.from(await open.read(1_400_000, 20)), content.subarray(1_400_000, 1_400_020))
  assert.deepEqual(await there.recordings.measure(file), { durationMs: Math.round((content.length - 44) / 32), bytes: content.length })
  await there.recordings.erase(file)
  assert.deepEqual([await there.recordings.open(file), await here.recordings.open(file)], [undefined, undefined])
})

test('removes a file everywhere when a person is erased', async (t) => {
  const { here, there } = await openMachines(t)
  await here.write(file, randomBytes(10))
  there.peerFiles.announceErased('recordings/account/one.wav')
  there.peerFiles.announceErased('../secret.key')
  await until('erased', async () => (await here.recordings.open(file)) === undefined || undefined)
})

test('says which machine is away until it is back', async (t) => {
  const { machine, here, there } = await openMachines(t)
  await here.write(file, randomBytes(100))
  await here.close()
  for (const act of ['open', 'measure', 'erase'] as const) await assert.rejects(there.recordings[act](file), isAway)
  await machine('a /data', here.folder)
  assert.equal((await there.recordings.open(file))?.bytes, 100)
})

test('finds a file whose machine has another name now', async (t) => {
  const { machine, here, there } = await openMachines(t)
  await here.write(file, randomBytes(100))
  await here.close()
  await machine('renamed /data', here.folder)
  assert.equal((await there.recordings.open(file))?.bytes, 100)
  await there.recordings.erase(file)
  await assert.rejects(there.recordings.open(file), isAway)
})

test('awaits the file of a node with another folder, and not a file that its own folder lacks', async (t) => {
  const { here, there } = await openMachines(t)
  assert.deepEqual(await there.recordings.leftBy(file), { durationMs: 0, bytes: 0, awaited: true })
  assert.equal(await here.recordings.leftBy(file), undefined)
})

test('gives other nodes nothing but recordings', async (t) => {
  const { here, there } = await openMachines(t)
  await writeFile(`${here.folder}/secret.key`, 'secret')
  await assert.rejects(there.peerFiles.open('a /data', 'secret.key'))
})
