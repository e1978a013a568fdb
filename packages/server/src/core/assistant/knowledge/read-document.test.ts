import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { documentReader, type StartLimited } from '#adapters/documents/document-reader.ts'
import { startLimited } from '#adapters/fax/limited-child.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import { Worker } from '#core/kernel/work/worker.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { databases, openTestStore, type Database } from '#test/store/databases.ts'
import { knowledgeJobs, parkedKnowledge, readJob } from './read-document.ts'

const id = '00000000-0000-4000-8000-000000000001'
const minute = 60_000
/** Reader that kills itself, like a process hit by the OOM killer. */
const dying: StartLimited = (_command, _args, limits) => startLimited('/bin/sh', ['-c', 'kill -KILL $$'], limits)

/** A pending document, and services that start and stop. */
const openScene = async (t: TestContext, database: Database) => {
  const store = await openTestStore(t, database)
  const workers: Worker[] = []
  const clock = new VirtualClock(1_000_000, async () => void (await Promise.all(workers.map((worker) => worker.idle()))))
  const content = Buffer.from('We open at nine.')
  const about = { id, accountId: '1000001', flowId: 'flow', name: 'Hours', kind: 'text', url: undefined, problem: undefined } as const
  await store.write(async ({ knowledge, jobs }) => {
    await knowledge.insert({ ...about, state: 'PENDING', bytes: content.length, passages: 0, addedAt: 0 })
    await knowledge.putSource(id, 0, content.toString('base64'))
    await jobs.schedule(readJob(id, clock.now()))
  })
  const startService = (start: StartLimited): { errors: string[]; close: () => Promise<void> } => {
    const ending = new AbortController()
    const errors: string[] = []
    const reader = documentReader({ startLimited: start })
    const parts = { store, outbound: {} as OutboundHttp, reader, embeddings: () => Promise.resolve(undefined) }
    const worker = new Worker({
      store,
      clock,
      queue: (tables) => tables.jobs,
      retryAfterMs: Array.from({ length: 20 }, () => minute),
      pollIntervalMs: 10 * minute,
      tasks: knowledgeJobs({ ...parts, signal: ending.signal }),
      parked: parkedKnowledge(parts),
      onError: (_kind, error) => errors.push((error as Error).name),
    })
    workers.push(worker)
    worker.start()
    const close = async (): Promise<void> => {
      ending.abort()
      await worker.close()
      workers.splice(workers.indexOf(worker), 1)
    }
    return { errors, close }
  }
  return { store, clock, startService, find: () => store.read.knowledge.findAny(id) }
}

for (const database of databases) {
  test(`${database}: gives up a document after its reader died three times, also across a restart`, async (t) => {
    const { store, clock, startService, find } = await openScene(t, database)
    const first = startService(dying)
    await clock.advance(minute + 1)
    await first.close()
    assert.deepEqual([first.errors, (await find())?.state], [['ReaderDied', 'ReaderDied'], 'PENDING'])
    const second = startService(dying)
    await clock.advance(minute)
    const document = await find()
    assert.deepEqual([second.errors, document?.state], [[], 'FAILED'])
    assert.match(document?.problem ?? '', /reader died/)
    assert.equal(await store.read.knowledge.source(id, 0), undefined)
    await clock.advance(10 * minute)
    await second.close()
    assert.deepEqual(await store.read.jobs.figures(), [])
  })

  test(`${database}: parks a document whose service died twice while reading it`, async (t) => {
    const { store, clock, startService, find } = await openScene(t, database)
    for (let death = 0; death < 2; death++) {
      const leased = await store.write(({ jobs }) => jobs.lease(['knowledge.read'], clock.now(), 9, minute))
      assert.equal(leased.length, 1)
      await clock.jump(minute + 1)
    }
    const service = startService(() => assert.fail('it is not read again'))
    await clock.advance(0)
    assert.deepEqual([(await find())?.state, service.errors], ['FAILED', []])
    assert.deepEqual(
      (await store.read.jobs.listParked(9)).map(({ kind, attempts }) => [kind, attempts]),
      [['knowledge.read', 3]],
    )
    await service.close()
  })
}
