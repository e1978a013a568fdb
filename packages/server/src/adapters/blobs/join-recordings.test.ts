import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '@offhook/contract/problem.ts'
import type { RecordingPart } from '#core/kernel/ports/files.ts'
import { wavHeaderBytes, writeWavHeader } from '#media/sound/wav.ts'
import type { OpenFile } from './folder-blobs.ts'
import { away, joinRecordings } from './join-recordings.ts'

interface Sound {
  rate?: number
  channels?: 1 | 2
  samples: readonly number[]
  /** A process that was killed left a header without a length. */
  unclosed?: boolean
}

const wavOf = ({ rate = 1_000, channels = 1, samples, unclosed = false }: Sound): Uint8Array => {
  const bytes = new Uint8Array(wavHeaderBytes + samples.length * 2)
  writeWavHeader(bytes, channels, rate, unclosed ? 0 : samples.length * 2)
  bytes.set(new Uint8Array(Int16Array.from(samples).buffer), wavHeaderBytes)
  return bytes
}

const fileOf = (bytes: Uint8Array, closed: string[], id: string): OpenFile => ({
  bytes: bytes.length,
  changedAt: 7,
  read: async (position, length) => bytes.slice(position, position + Math.min(length, 5)),
  close: async () => void closed.push(id),
})

type Parts = Record<string, Partial<RecordingPart> & { sound?: Sound | Problem }>

/** Each reads at most five bytes at a time. */
const join = async (parts: Parts) => {
  const closed: string[] = []
  const rows = Object.entries(parts).map(([id, { sound, ...part }]) => {
    const row = { id, accountId: 'a', createdAt: 0, bytes: 1, truncated: false, awaited: false, ...part }
    return { row, sound }
  })
  const file = await joinRecordings(
    rows.map(({ row }) => row),
    async ({ id }) => {
      const sound = rows.find(({ row }) => row.id === id)?.sound
      if (sound instanceof Problem) throw sound
      return sound && fileOf(wavOf(sound), closed, id)
    },
  )
  return { file, closed }
}

const readAll = async (file: OpenFile | undefined, chunk = 1_000): Promise<Buffer> => {
  const pieces: Uint8Array[] = []
  if (!file) return Buffer.alloc(0)
  for (let at = 0; at < file.bytes;) {
    const piece = await file.read(at, chunk)
    assert.ok(piece.length > 0 && piece.length <= chunk)
    pieces.push(piece)
    at += piece.length
  }
  return Buffer.concat(pieces)
}

const samplesOf = (bytes: Buffer): number[] =>
  Array.from({ length: (bytes.length - wavHeaderBytes) / 2 }, (_, nth) => bytes.readInt16LE(wavHeaderBytes + nth * 2))

test('joins two files in their order, with silence for the real length of the gap', async () => {
  const { file, closed } = await join({
    first: { createdAt: 10_000, sound: { samples: [1, 2, 3], unclosed: true }, truncated: true },
    second: { createdAt: 10_005, sound: { samples: [4, 5] } },
  })
  const bytes = await readAll(file)
  assert.deepEqual(samplesOf(bytes), [1, 2, 3, 0, 0, 4, 5])
  assert.deepEqual([bytes.readUInt32LE(4), bytes.readUInt32LE(40)], [bytes.length - 8, 14])
  await file?.close()
  assert.deepEqual(closed, ['first', 'second'])
})

test('reads any range like the whole', async () => {
  const { file } = await join({
    first: { sound: { channels: 2, samples: [1, -1, 2, -2, 3, -3] } },
    second: { createdAt: 4, sound: { samples: [9, 8] } },
    third: { createdAt: 5, sound: { channels: 2, rate: 2_000, samples: [5, 6, 7, 8, 9, 10, 11, 12] } },
  })
  const whole = await readAll(file)
  for (const chunk of [1, 2, 3, 7, 44, 45, 50]) assert.deepEqual(await readAll(file, chunk), whole, `${chunk} bytes`)
  for (let from = 0; from < whole.length; from++)
    assert.deepEqual(Buffer.from((await file?.read(from, 6)) ?? []), whole.subarray(from, from + 6), `from ${from}`)
  assert.equal((await file?.read(whole.length, 10))?.length, 0)
})

test('brings files of different rates to the higher one, and a single channel to both sides', async () => {
  const { file } = await join({
    first: { sound: { samples: [0, 10, 20] } },
    second: { createdAt: 4, sound: { rate: 2_000, channels: 2, samples: [1, 2, 3, 4] } },
  })
  const bytes = await readAll(file)
  assert.deepEqual([bytes.readUInt16LE(22), bytes.readUInt32LE(24)], [2, 2_000])
  assert.deepEqual(samplesOf(bytes), [0, 0, 5, 5, 10, 10, 15, 15, 20, 20, 20, 20, 0, 0, 0, 0, 1, 2, 3, 4])
})

test('joins without a gap when clocks differ, and leaves nothing out', async () => {
  const { file } = await join({
    first: { createdAt: 100, sound: { samples: [1, 2, 3] } },
    second: { createdAt: 101, sound: { samples: [4] } },
  })
  assert.deepEqual(samplesOf(await readAll(file)), [1, 2, 3, 4])
})

test('answers 503 while a part is awaited, and names its machine', async () => {
  const of = { createdAt: 2, sound: { samples: [4] } }
  for (const sound of [undefined, away('b /data')]) {
    const parts = { first: of, second: { bytes: 0, awaited: true, place: 'b /data', ...(sound && { sound }) } }
    const failed = await join(parts).catch((error: unknown) => error)
    assert.ok(failed instanceof Problem && failed.code === 'unavailable' && failed.message.includes('machine b,'))
  }
})

test('keeps silence in place of a part that was lost with its machine', async () => {
  for (const sound of [undefined, away('b /data')]) {
    const { file } = await join({
      first: { bytes: 0, ...(sound && { sound }) },
      second: { createdAt: 3, sound: { samples: [4, 5] } },
    })
    assert.deepEqual(samplesOf(await readAll(file)), [0, 0, 0, 4, 5])
  }
})

test('gives a single truncated file its length, and sends other files as they are', async () => {
  const { file } = await join({ one: { truncated: true, sound: { samples: [1, 2], unclosed: true } } })
  assert.deepEqual(samplesOf(await readAll(file)), [1, 2])
  assert.equal((await readAll(file)).readUInt32LE(40), 4)
  const text = fileOf(Buffer.from('no sound'), [], 'x')
  const part = { id: 'x', accountId: 'a', createdAt: 0, bytes: 1, awaited: false }
  for (const truncated of [true, false]) {
    const same = await joinRecordings([{ ...part, truncated }], () => Promise.resolve(text))
    assert.equal(same, text)
  }
  assert.equal(await joinRecordings([], () => Promise.resolve(text)), undefined)
})
