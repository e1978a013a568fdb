import assert from 'node:assert/strict'
import { closeSync, fstatSync, ftruncateSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Recorder, type RecordingFile, repairWav, type Repair } from './recorder.ts'
import { readWav } from '../sound/wav.ts'

const newFile = (t: TestContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'recorder-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'x.wav')
  const descriptor = openSync(path, 'w+')
  const file: RecordingFile = {
    write: (bytes, offset, length, position) => writeSync(descriptor, bytes, offset, length, position),
    close: () => closeSync(descriptor),
  }
  return { path, descriptor, file }
}

const frame = (value: number): Int16Array => new Int16Array(160).fill(value)
/** Level of every frame of a channel; NaN where a frame is not constant. */
const levels = (path: string, channels: number, channel: number): number[] => {
  const bytes = readFileSync(path)
  const samples = new Int16Array(bytes.buffer, bytes.byteOffset + 44, (bytes.length - 44) >> 1).filter((_, i) => i % channels === channel)
  return Array.from({ length: samples.length / 160 }, (_, i) => {
    const part = new Set(samples.subarray(i * 160, i * 160 + 160))
    return part.size === 1 ? [...part][0]! : NaN
  })
}

test('one channel: writes frames in order and fills gaps with silence, from the first to the last', (t) => {
  const { path, file } = newFile(t)
  const recorder = new Recorder(file, { channels: 1, rate: 8000, firstFrame: 1000 })
  for (let i = 2; i < 130; i++) if (i !== 50 && i !== 51) recorder.write(0, 1000 + i, frame(i))
  assert.deepEqual(recorder.stop(1140), { durationMs: 2800, truncated: false })
  const expected = Array.from({ length: 140 }, (_, i) => (i < 2 || i === 50 || i === 51 || i >= 130 ? 0 : i))
  assert.deepEqual(levels(path, 1, 0), expected)
  assert.equal(readWav(readFileSync(path)).samples.length, 140 * 160)
})

test('keeps two channels aligned when one starts late, pauses and lags', (t) => {
  const { path, file } = newFile(t)
  const recorder = new Recorder(file, { channels: 2, rate: 8000, firstFrame: 0 })
  for (let i = 0; i < 200; i++) {
    recorder.write(0, i, frame(i))
    if (i - 10 >= 20 && (i < 80 || i > 150)) recorder.write(1, i - 10, frame(-(i - 10)))
  }
  recorder.stop(200)
  assert.deepEqual(
    levels(path, 2, 0),
    Array.from({ length: 200 }, (_, i) => i),
  )
  assert.deepEqual(
    levels(path, 2, 1),
    Array.from({ length: 200 }, (_, i) => ((i >= 20 && i < 70) || (i > 140 && i < 190) ? -i : 0)),
  )
})

test('mixes several voices of one channel and saturates', (t) => {
  const { path, file } = newFile(t)
  const recorder = new Recorder(file, { channels: 1, rate: 8000, firstFrame: 0 })
  recorder.write(0, 0, frame(100))
  recorder.write(0, 0, frame(20))
  recorder.write(0, 1, frame(30_000))
  recorder.write(0, 1, frame(30_000))
  recorder.write(0, 2, frame(-30_000))
  recorder.write(0, 2, frame(-30_000))
  recorder.stop(3)
  assert.deepEqual(levels(path, 1, 0), [120, 32767, -32768])
})

test('drops a very late frame, and fills a long gap with silence', (t) => {
  const { path, file } = newFile(t)
  const recorder = new Recorder(file, { channels: 1, rate: 8000, firstFrame: 0 })
  recorder.write(0, 0, frame(1))
  recorder.write(0, 500, frame(2))
  recorder.write(0, 3, frame(3))
  recorder.stop(501)
  const heard = levels(path, 1, 0)
  assert.equal(heard.length, 501)
  assert.deepEqual([heard[0], heard[3], heard[500]], [1, 0, 2])
})

test('ignores a second stop and writes after the end', (t) => {
  const { path, file } = newFile(t)
  const recorder = new Recorder(file, { channels: 1, rate: 16_000, firstFrame: 0 })
  recorder.write(0, 0, new Int16Array(320).fill(5))
  assert.deepEqual(recorder.stop(1), { durationMs: 20, truncated: false })
  recorder.write(0, 100, new Int16Array(320).fill(6))
  assert.deepEqual(recorder.stop(200), { durationMs: 20, truncated: false })
  assert.equal(readWav(readFileSync(path)).rate, 16_000)
})

test('a full disk ends the recording and leaves it playable', (t) => {
  const { path, file } = newFile(t)
  const capacity = 44 + 33_333
  const small: RecordingFile = {
    write(bytes, offset, length, position) {
      const room = Math.min(length, capacity - position)
      if (room <= 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
      return file.write(bytes, offset, room, position)
    },
    close: () => file.close(),
  }
  const recorder = new Recorder(small, { channels: 2, rate: 8000, firstFrame: 0 })
  for (let i = 0; i < 300; i++) recorder.write(0, i, frame(i))
  assert.equal(recorder.truncated, true)
  assert.deepEqual(recorder.stop(300), { durationMs: Math.round(33_332 / 32), truncated: true })
  assert.equal(readWav(readFileSync(path)).samples.length, 33_332 / 4)
})

test('reports a disk without room for the header immediately', () => {
  let closed = 0
  const recorder = new Recorder(
    {
      write: () => {
        throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
      },
      close: () => closed++,
    },
    { channels: 1, rate: 8000, firstFrame: 0 },
  )
  assert.equal(recorder.truncated, true)
  assert.deepEqual(recorder.stop(10), { durationMs: 0, truncated: true })
  assert.equal(closed, 1)
})

const repair = (path: string): Repair => {
  const descriptor = openSync(path, 'r+')
  try {
    return repairWav({
      size: () => fstatSync(descriptor).size,
      read: (into, offset, length, position) => readSync(descriptor, into, offset, length, position),
      write: (bytes, offset, length, position) => writeSync(descriptor, bytes, offset, length, position),
    })
  } finally {
    closeSync(descriptor)
  }
}

test('repairs the header from the file length after a crash', (t) => {
  const { path, descriptor, file } = newFile(t)
  const recorder = new Recorder(file, { channels: 2, rate: 8000, firstFrame: 0 })
  for (let i = 0; i < 120; i++) recorder.write(0, i, frame(i))
  ftruncateSync(descriptor, fstatSync(descriptor).size - 3)
  assert.throws(() => readWav(readFileSync(path)), /no audio/, 'not closed: it says that it is empty')
  assert.deepEqual(repair(path), { state: 'repaired', durationMs: 1500 })
  assert.equal(readWav(readFileSync(path)).samples.length, 75 * 160 - 1)
  assert.deepEqual(repair(path), { state: 'whole', durationMs: 1500 })
  recorder.stop(120)
})

test('leaves complete and foreign files alone', (t) => {
  const { path, file } = newFile(t)
  new Recorder(file, { channels: 1, rate: 8000, firstFrame: 0 }).stop(5)
  assert.deepEqual(repair(path), { state: 'whole', durationMs: 100 })
  for (const content of ['', 'RIFF', 'x'.repeat(500)]) {
    const other = newFile(t)
    writeSync(other.descriptor, content)
    other.file.close()
    assert.deepEqual(repair(other.path), { state: 'foreign', durationMs: 0 })
    assert.equal(readFileSync(other.path, 'utf8'), content)
  }
})
