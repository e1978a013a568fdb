import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLimited } from './limited-child.ts'
import { hasProc, readPs, useFromProc, useFromPs } from './process-use.ts'

test('parses the output of ps on macOS and Linux', () => {
  assert.deepEqual(readPs('   0:01.50  20480\n'), { seconds: 1.5, bytes: 20_971_520 })
  assert.deepEqual(readPs('00:02:03 1\n'), { seconds: 123, bytes: 1024 })
  assert.deepEqual(readPs('1-02:03:04 0\n'), { seconds: 93_784, bytes: 0 })
  assert.deepEqual(readPs(''), { seconds: 0, bytes: 0 })
})

test('/proc and ps report the same for a process', { skip: !hasProc() }, async () => {
  const before = await useFromProc(process.pid)
  const notified = await useFromPs(process.pid)
  const after = await useFromProc(process.pid)
  assert.ok(
    notified.seconds >= Math.floor(before.seconds) && notified.seconds <= after.seconds,
    JSON.stringify({ before, told: notified, after }),
  )
  for (const { bytes } of [before, notified]) assert.ok(bytes > 10_000_000 && bytes < 10_000_000_000, String(bytes))
})

for (const readUse of [...(hasProc() ? [useFromProc] : []), useFromPs])
  test(`${readUse.name}: stops a program that exceeds its memory limit`, async () => {
    const child = startLimited('sleep', ['60'], {
      seconds: 60,
      memoryBytes: 1000,
      memory: 'resident',
      pageSeconds: { first: 60, further: 60 },
      readUse,
    })
    child.output.resume()
    assert.deepEqual(await child.ended, { code: undefined, stopped: true, limited: true, complaint: '' })
  })
