import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diskSamples, processSamples, watchMainThread } from './process-samples.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'

test('reports the cost of the process without a timer or an observer', () => {
  const samples = new Map(processSamples('1.2.3')().map((sample) => [sample.name, sample.value]))
  assert.deepEqual([...samples.keys()].toSorted(), [
    'nodejs_eventloop_busy_seconds_total',
    'offhook_build_info',
    'offhook_resident_bytes',
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'process_start_time_seconds',
  ])
  for (const [name, value] of samples) assert.ok(typeof value === 'number' && value >= 0, name)
})

test('monitors the main thread from the first reading until close', async () => {
  const watch = watchMainThread()
  const [lag, ...collections] = watch.samples()
  assert.deepEqual(lag, { name: 'nodejs_eventloop_lag_p99_seconds', value: 0 })
  assert.deepEqual(
    collections.map((sample) => ('labels' in sample ? Object.values(sample.labels) : [])),
    [['minor'], ['major'], ['incremental'], ['weak']],
  )
  assert.equal(watch.samples().length, 5)
  await watch.close()
})

test('the disk of a folder has a size, and less is free', async (t) => {
  const [size, free] = await diskSamples(await temporaryFolder(t))()
  assert.ok(typeof size?.value === 'number' && typeof free?.value === 'number' && size.value >= free.value && free.value > 0)
})
