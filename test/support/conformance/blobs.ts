import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import type { Blobs, OpenBlob } from '#core/kernel/ports/files.ts'

export interface BlobsUnderTest {
  name: string
  /** Undefined: not available, and the test was skipped. */
  open: (t: TestContext) => Promise<Blobs | undefined>
}

const pattern = Uint8Array.from({ length: 100_000 }, (_, at) => at % 251)

/** Chunks of odd sizes, whose bytes encode their position. */
async function* sound(bytes: number, chunkBytes = 61_001): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes; at += chunkBytes) yield pattern.subarray(at % 251, (at % 251) + Math.min(chunkBytes, bytes - at))
}

const type = 'audio/wav'
const bytesOf = async (blob: OpenBlob | undefined): Promise<Buffer> => (blob ? buffer(blob.content) : Buffer.alloc(0))

/** Conformance tests of every blob store. */
export const blobsSuite = ({ name, open }: BlobsUnderTest): void => {
  const suite = (title: string, work: (blobs: Blobs, folder: string, t: TestContext) => Promise<void>): void =>
    void test(`${name}: ${title}`, async (t) => {
      const blobs = await open(t)
      if (blobs) await work(blobs, `recordings/${randomUUID()}`, t)
    })

  suite('reads a stored file whole and in ranges, with the time of its content', async (blobs, folder) => {
    const key = `${folder}/one.wav`
    assert.equal(await blobs.size(key), undefined)
    assert.equal(await blobs.open(key), undefined)
    assert.equal(await blobs.open(key, { first: 0, last: 1 }), undefined)
    const changedAt = 1_700_000_000_000
    assert.deepEqual(await blobs.put(key, sound(200_000), { type, size: 200_000, changedAt }), { bytes: 200_000, changedAt })
    const { bytes, changedAt: later } = (await blobs.size(key)) ?? {}
    assert.deepEqual([bytes, later], [200_000, changedAt])
    const whole = await buffer(sound(200_000))
    const opened = await blobs.open(key)
    assert.deepEqual([opened?.bytes, opened?.changedAt], [200_000, changedAt])
    assert.ok(whole.equals(await bytesOf(opened)))
    const part = await blobs.open(key, { first: 100_000, last: 100_099 })
    assert.equal(part?.bytes, 200_000, 'of the whole file')
    assert.ok(whole.subarray(100_000, 100_100).equals(await bytesOf(part)))
    assert.deepEqual([...(await bytesOf(await blobs.open(key, { first: 199_999, last: 300_000 })))], [199_999 % 251])
    await blobs.remove(key)
  })

  suite('replaces, lists and removes files; removing a missing one succeeds', async (blobs, folder) => {
    const keys = [`${folder}/a.wav`, `${folder}/b.wav`, `${folder}-2/a.wav`]
    for (const key of keys) await blobs.put(key, sound(10), { type })
    await blobs.put(keys[0] ?? '', sound(20), { type })
    const listed = async (prefix: string) => {
      const found: [string, number][] = []
      for await (const { key, bytes, changedAt } of blobs.list(prefix)) {
        assert.ok(changedAt > 0)
        found.push([key, bytes])
      }
      return found.toSorted(([one], [other]) => one.localeCompare(other))
    }
    assert.deepEqual(await listed(`${folder}/`), [
      [keys[0], 20],
      [keys[1], 10],
    ])
    assert.deepEqual((await listed(folder)).length, 3)
    for (const key of [...keys, ...keys]) await blobs.remove(key)
    assert.deepEqual(await listed(folder), [])
  })

  suite('stores an empty file, and one larger than a single request', async (blobs, folder) => {
    const [empty, large] = [`${folder}/empty.wav`, `${folder}/large.wav`]
    await blobs.put(empty, sound(0), { type })
    assert.equal((await blobs.size(empty))?.bytes, 0)
    assert.equal((await bytesOf(await blobs.open(empty))).length, 0)
    const bytes = 18 * 1024 * 1024 + 7
    const changedAt = 1_700_000_001_000
    assert.deepEqual(await blobs.put(large, sound(bytes), { type, changedAt }), { bytes, changedAt })
    const across = 8 * 1024 * 1024
    const part = await bytesOf(await blobs.open(large, { first: across - 5, last: across + 4 }))
    assert.deepEqual(
      [...part],
      Array.from({ length: 10 }, (_, index) => (across - 5 + index) % 251),
    )
    for (const key of [empty, large]) await blobs.remove(key)
    assert.equal(await blobs.size(large), undefined)
  })

  suite('keeps the previous file when a stream breaks', async (blobs, folder) => {
    const key = `${folder}/broken.wav`
    await blobs.put(key, sound(5), { type })
    async function* broken(): AsyncGenerator<Uint8Array, void, undefined> {
      yield* sound(9 * 1024 * 1024)
      throw new Error('the disk broke')
    }
    await assert.rejects(blobs.put(key, broken(), { type }), /the disk broke/)
    assert.equal((await blobs.size(key))?.bytes, 5)
    await blobs.remove(key)
  })

  suite('rejects names outside of the store', async (blobs) => {
    for (const key of ['../secret', 'recordings/../secret', '/etc/passwd', '', 'recordings/a b.wav', 'recordings/%2e%2e/x.wav']) {
      await assert.rejects(async () => blobs.size(key), /odd name/)
      await assert.rejects(async () => blobs.open(key), /odd name/)
      await assert.rejects(async () => blobs.put(key, sound(1), { type }), /odd name/)
      await assert.rejects(async () => blobs.remove(key), /odd name/)
    }
  })

  suite('reads one file through a signed URL, if supported', async (blobs, folder) => {
    if (!blobs.link) return
    const key = `${folder}/linked.wav`
    await blobs.put(key, sound(100), { type })
    const link = await blobs.link(key, 60)
    const reply = await fetch(link, { headers: { range: 'bytes=10-19' } })
    assert.equal(reply.status, 206)
    assert.deepEqual([...Buffer.from(await reply.arrayBuffer())], [10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
    const forged = link.replace('linked', 'l1nked')
    assert.equal((await fetch(forged)).status, 403)
    await blobs.remove(key)
  })
}
