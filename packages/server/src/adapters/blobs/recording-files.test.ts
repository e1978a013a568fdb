import assert from 'node:assert/strict'
import { mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { wavHeaderBytes, writeWavHeader } from '#media/sound/wav.ts'
import { folderBlobs } from './folder-blobs.ts'
import { recordingFiles } from './recording-files.ts'
import { folderFileStore } from './file-store.ts'

const file = { accountId: 'account', id: 'recording' }

/** A recording of a dead process: its header has length 0. */
const unclosed = (samples: number): Uint8Array => {
  const bytes = new Uint8Array(wavHeaderBytes + samples * 2 + 1).fill(7)
  writeWavHeader(bytes, 1, 8000, 0)
  return bytes
}

test('reads, measures, lists and erases recordings', async (t) => {
  const data = await temporaryFolder(t)
  const folder = join(data, 'recordings')
  const recordings = recordingFiles({ fileStore: folderFileStore(folderBlobs(data)), folder })
  const listed = async () => {
    const found: object[] = []
    for await (const one of recordings.list()) found.push(one)
    return found
  }
  assert.equal(await recordings.open(file), undefined)
  assert.equal(await recordings.measure(file), undefined)
  assert.deepEqual(await listed(), [])
  await recordings.erase(file)
  const { bytes, free } = await recordings.room()
  assert.ok(free > 0 && free <= bytes)
  assert.equal((await stat(folder)).mode & 0o777, 0o700)

  const path = join(folder, 'account', 'recording.wav')
  await mkdir(join(folder, 'account'))
  await writeFile(path, unclosed(8_000))
  assert.deepEqual(await recordings.measure(file), { durationMs: 1_000, bytes: 16_045 })
  assert.equal((await readFile(path)).readUInt32LE(40), 16_000, 'now it says how long it is')
  await utimes(path, 1, 1)
  for (const odd of ['notes.txt', 'odd name.wav', '.wav']) await writeFile(join(folder, 'account', odd), '')
  await mkdir(join(folder, 'account', 'folder.wav'))
  await writeFile(join(folder, 'stray.wav'), '')
  assert.deepEqual(await listed(), [{ ...file, changedAt: 1_000 }])

  const open = await recordings.open(file)
  assert.equal(open?.bytes, 16_045)
  assert.deepEqual([...(await open.read(16_043, 100))], [7, 7])
  assert.equal((await open.read(20_000, 100)).length, 0)
  await open.close()
  await recordings.erase(file)
  assert.equal(await recordings.open(file), undefined)
})

test('rejects names outside of the folder, and leaves foreign files unchanged', async (t) => {
  const folder = await temporaryFolder(t)
  const recordings = recordingFiles({ fileStore: folderFileStore(folderBlobs(folder)), folder: join(folder, 'recordings') })
  await writeFile(join(folder, 'secret.wav'), 'secret')
  for (const odd of [
    { accountId: '..', id: 'secret' },
    { accountId: '.', id: '../secret' },
    { accountId: '', id: 'secret' },
  ])
    for (const act of ['open', 'measure', 'erase'] as const) await assert.rejects(async () => recordings[act](odd), /odd name/)
  assert.equal(await readFile(join(folder, 'secret.wav'), 'utf8'), 'secret')
  await mkdir(join(folder, 'recordings', 'account'), { recursive: true })
  await writeFile(join(folder, 'recordings', 'account', 'recording.wav'), 'no sound at all')
  assert.equal(await recordings.measure(file), undefined)
})
