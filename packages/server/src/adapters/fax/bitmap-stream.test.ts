import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { readBitmaps, type BitmapFormat } from './bitmap-stream.ts'
import type { MonoPage } from './mono-page.ts'

const read = async (bytes: Buffer, chunkBytes: number, kind: BitmapFormat['kind'], maxBytes = 100): Promise<MonoPage[]> => {
  const pieces = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
    bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  )
  const pages: MonoPage[] = []
  for await (const page of readBitmaps(Readable.from(pieces), { kind, maxBytes })) pages.push(page)
  return pages
}

const greys = (width: number, height: number, shade: number): Buffer =>
  Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), Buffer.alloc(width * height, shade)])

test('returns complete pages for any chunk sizes', async () => {
  const mono = Buffer.concat([
    Buffer.from('P4\n9 2\n'),
    Buffer.from('P4 5'),
    Buffer.from('P4\n0 0\n'),
    Buffer.from('P4\n8 1\n'),
    Buffer.of(7),
  ])
  const grey = Buffer.concat([greys(9, 2, 0), greys(8, 3, 255)])
  for (const size of [1, 2, 3, 7, 1000]) {
    assert.deepEqual(await read(mono, size, 'mono'), [
      { width: 9, height: 2, bits: Uint8Array.from(Buffer.from('P4 5')) },
      { width: 0, height: 0, bits: new Uint8Array() },
      { width: 8, height: 1, bits: Uint8Array.of(7) },
    ])
    assert.deepEqual(await read(grey, size, 'grey'), [
      { width: 9, height: 2, bits: Uint8Array.of(255, 128, 255, 128) },
      { width: 8, height: 3, bits: new Uint8Array(3) },
    ])
  }
})

test('rejects truncated, oversized and foreign data', async () => {
  await assert.rejects(read(greys(9, 2, 0).subarray(0, -1), 5, 'grey'), /incomplete/)
  await assert.rejects(read(Buffer.from('P5\n9 2\n'), 5, 'grey'), /incomplete/)
  await assert.rejects(read(greys(9, 51, 0), 50, 'grey'), /too large/)
  await assert.rejects(read(Buffer.alloc(100, 'x'), 50, 'grey'), /no bitmap/)
  await assert.rejects(read(greys(20, 20, 0), 50, 'mono'), /no bitmap/)
})
