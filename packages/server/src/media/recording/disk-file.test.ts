// test: own process, real time
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { repairFile, RecordingRun, type RecordingResult } from './disk-file.ts'

const pathOf = (t: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'offhook-disk-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return join(folder, 'x.wav')
}

const record = (path: string, channels: 1 | 2, rate: number) => {
  const { promise, resolve } = Promise.withResolvers<RecordingResult>()
  return { run: new RecordingRun(path, channels, rate, 0, resolve), done: promise }
}

test('a finished recording is on disk', async (t) => {
  const path = pathOf(t)
  const { run, done } = record(path, 1, 8000)
  for (let frame = 0; frame < 100; frame++) run.write(0, frame, new Int16Array(160).fill(frame))
  run.stop(100)
  run.stop(200)
  assert.deepEqual(await done, { durationMs: 2000, truncated: false })
  const bytes = readFileSync(path)
  assert.equal(bytes.readUInt32LE(40), 32_000)
  assert.equal(bytes.readInt16LE(44 + 320 * 77), 77)
})

test('converts frames of another rate', async (t) => {
  const path = pathOf(t)
  const { run, done } = record(path, 2, 16_000)
  for (let frame = 0; frame < 10; frame++) {
    run.write(0, frame, new Int16Array(160).fill(1000))
    run.write(1, frame, new Int16Array(320).fill(-1000))
  }
  run.stop(10)
  assert.equal((await done).durationMs, 200)
  const bytes = readFileSync(path)
  assert.ok(Math.abs(bytes.readInt16LE(44 + 4 * 2000) - 1000) < 20)
  assert.equal(bytes.readInt16LE(44 + 4 * 2000 + 2), -1000)
})

test('reports a full disk before and at the end', async () => {
  for (const frames of [10, 400]) {
    const { run, done } = record('/dev/full', 2, 8000)
    for (let frame = 0; frame < frames; frame++) {
      run.write(0, frame, new Int16Array(160))
      if (frame % 30 === 0) await new Promise(setImmediate)
    }
    run.stop(frames)
    assert.equal((await done).truncated, true)
  }
})

/** Only possible as root. */
const smallDisk = (t: TestContext): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'offhook-small-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status === 0
  t.after(() => {
    if (mounted) spawnSync('umount', [folder])
    rmSync(folder, { recursive: true })
  })
  return mounted ? join(folder, 'x.wav') : undefined
}

test('keeps the part that fitted on a full disk playable', async (t) => {
  const path = smallDisk(t)
  if (path === undefined) return t.skip('no small disk can be made here')
  const { run, done } = record(path, 1, 8000)
  for (let frame = 0; frame < 500; frame++) {
    run.write(0, frame, new Int16Array(160).fill(frame))
    if (frame % 25 === 0) await new Promise(setImmediate)
  }
  run.stop(500)
  const { durationMs, truncated } = await done
  assert.ok(truncated && durationMs > 2_000 && durationMs < 4_200, `${durationMs} ms`)
  const bytes = readFileSync(path)
  assert.equal(Math.floor(bytes.readUInt32LE(40) / 16), durationMs)
  assert.equal(bytes.readInt16LE(44 + 320 * 99), 99)
})

test('repairs the recording of a dead thread', async (t) => {
  const path = pathOf(t)
  const { run, done } = record(path, 1, 8000)
  run.write(0, 49, new Int16Array(160))
  run.stop(50)
  await done
  truncateSync(path, 44 + 8001)
  assert.equal(repairFile(path), 500)
  assert.equal(readFileSync(path).readUInt32LE(40), 8000)
  assert.equal(repairFile('/no/such/file'), 0)
  assert.equal(repairFile('/dev/null'), 0)
})
