import assert from 'node:assert/strict'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { test, type TestContext } from 'node:test'
import { BlobsFailure, type Blobs } from '#core/kernel/ports/files.ts'
import { wavHeaderBytes, writeWavHeader } from '#media/sound/wav.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { folderBlobs, type OpenFile } from './folder-blobs.ts'
import { Pieces } from './pieces.ts'

const key = 'recordings/account/one.wav'
const second = 16_000

const openMachine = async (t: TestContext) => {
  const [local, store] = [folderBlobs(await temporaryFolder(t)), folderBlobs(await temporaryFolder(t))]
  let isAway = false
  const sizes: number[] = []
  const remote: Blobs = {
    ...store,
    async put(name, content, about) {
      if (isAway) throw new BlobsFailure('away', 'away')
      sizes.push(about.size ?? 0)
      return store.put(name, content, about)
    },
  }
  const failures: string[] = []
  const machine = () => {
    const own: Pieces = new Pieces({ local, remote, clock, onFailure: (error) => failures.push(error.message) })
    t.after(() => own.close())
    return own
  }
  let pieces: Pieces | undefined
  const clock = new VirtualClock(0, async () => pieces?.idle())
  pieces = machine()
  /** As the media thread: the header has no length until the end. */
  const begin = async (): Promise<void> => {
    const header = new Uint8Array(wavHeaderBytes)
    writeWavHeader(header, 1, 8_000, 0)
    await mkdir(dirname(local.pathOf(key)), { recursive: true })
    await writeFile(local.pathOf(key), header)
    pieces.begun(key)
  }
  const grow = (bytes: number): Promise<void> => appendFile(local.pathOf(key), new Uint8Array(bytes).fill(++grown))
  let grown = 0
  const stored = async (): Promise<string[]> => {
    const names: string[] = []
    for await (const { key: name } of store.list('pieces/')) names.push(name)
    return names.toSorted()
  }
  return { clock, pieces, another: machine, begin, grow, stored, sizes, failures, remote, setAway: (value: boolean) => (isAway = value) }
}

const all = async (file: OpenFile | undefined): Promise<Buffer> => Buffer.from((await file?.read(0, file.bytes)) ?? [])

test('uploads what a recording gains every five seconds, and another node reads all but the last seconds', async (t) => {
  const { clock, begin, grow, another } = await openMachine(t)
  await begin()
  assert.equal(await another().open(key), undefined)
  for (let nth = 0; nth < 12; nth++) {
    await grow(second)
    await clock.advance(1_000)
  }
  const found = await another().open(key)
  const bytes = await all(found)
  assert.deepEqual([found?.partial, bytes.length], [true, wavHeaderBytes + 10 * second])
  assert.equal(bytes.readUInt32LE(40), 10 * second, 'the header has its length')
  assert.deepEqual(
    Array.from({ length: 10 }, (_, nth) => bytes[wavHeaderBytes + nth * second]),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  )
  assert.deepEqual([...((await found?.read(wavHeaderBytes + 5 * second - 1, 2)) ?? [])], [5, 6])
  assert.equal((await found?.read(40, 8))?.length, 8)
})

test('uploads what waited while the store was away, at most a mebibyte at once', async (t) => {
  const { clock, begin, grow, another, setAway, sizes, failures } = await openMachine(t)
  await begin()
  setAway(true)
  for (let nth = 0; nth < 60; nth++) {
    await grow(2 * second)
    await clock.advance(1_000)
  }
  assert.equal(failures.length, 12)
  setAway(false)
  await clock.advance(5_000)
  assert.equal((await another().open(key))?.bytes, wavHeaderBytes + 120 * second)
  assert.deepEqual(sizes, [1_048_576, wavHeaderBytes + 120 * second - 1_048_576])
})

test('removes the pieces when the file is uploaded as a whole or erased, also those of a lost node', async (t) => {
  const { clock, pieces, another, begin, grow, stored } = await openMachine(t)
  for (const remover of [() => pieces, another]) {
    await begin()
    await grow(second)
    await clock.advance(5_000)
    assert.deepEqual(await stored(), ['pieces/account/one/0.pcm'])
    pieces.complete(key)
    await remover().remove(key)
    assert.deepEqual(await stored(), [])
  }
  await clock.advance(60_000)
  assert.deepEqual(await stored(), [])
})

test('asks the store for nothing when a recording is shorter than a piece', async (t) => {
  const { clock, pieces, begin, grow, remote, sizes } = await openMachine(t)
  await begin()
  await grow(second)
  await clock.advance(4_000)
  pieces.complete(key)
  remote.list = () => assert.fail('it lists')
  await pieces.remove(key)
  assert.deepEqual([sizes, clock.pending()], [[], 0])
})

test('stops at the first piece that is missing', async (t) => {
  const { clock, begin, grow, another, stored, remote } = await openMachine(t)
  await begin()
  for (let nth = 0; nth < 15; nth++) {
    await grow(second)
    await clock.advance(1_000)
  }
  const [, middle = ''] = (await stored()).toSorted((one, other) => one.length - other.length)
  await remote.remove(middle)
  assert.equal((await another().open(key))?.bytes, wavHeaderBytes + 5 * second)
})

test('lists recordings of which there are only pieces, with their sizes', async (t) => {
  const { clock, pieces, begin, grow } = await openMachine(t)
  await begin()
  await grow(second)
  await clock.advance(5_000)
  const listed = async (prefix: string) => {
    const found: [string, number][] = []
    for await (const { key: name, bytes } of pieces.list(prefix)) found.push([name, bytes])
    return found
  }
  assert.deepEqual(await listed('recordings/account/'), [[key, wavHeaderBytes + second]])
  assert.deepEqual([await listed('recordings/other/'), await listed('faxes/')], [[], []])
})
