// test: own process, real time
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getHeapStatistics } from 'node:v8'
import { call, startTestMedia } from '#test/phones/media-call.ts'
import { runningThreads } from './thread.ts'

test("reads the memory of a running media thread, which is limited to a quarter of the main thread's heap", async (t) => {
  const media = startTestMedia(t)
  await call(t, media)
  const [thread] = runningThreads()
  assert.equal(thread?.name, 'media')
  const { heapUsed, heapTotal, heapLimit, external, arrayBuffers } = thread.memory()
  assert.ok(heapUsed > 0 && heapTotal >= heapUsed && external > 0 && arrayBuffers > 0)
  const quarter = getHeapStatistics().heap_size_limit / 4
  assert.ok(heapLimit >= quarter && heapLimit < 1.2 * quarter, `${heapLimit} of ${quarter}`)
  await media.close()
  assert.deepEqual(runningThreads(), [])
})
