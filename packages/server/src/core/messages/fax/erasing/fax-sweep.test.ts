import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { databases, openTestStore, type Database } from '#test/store/databases.ts'
import { ScriptedPapers } from '#test/ports/scripted-papers.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import type { Fax } from '#core/kernel/ports/store/message.ts'
import { eraseFaxesOf, eraseFaxesOfAccount, eraseFaxJobs } from './erase-fax.ts'
import { outgoingEntry } from '../state/fax-entry.ts'
import { faxSweeps } from './fax-sweep.ts'
import { incomingFax } from '../state/new-fax.ts'

const day = 24 * 60 * 60 * 1000

const openFileStore = async (t: TestContext, database: Database) => {
  const store = await openTestStore(t, database)
  const clock = new VirtualClock(1_000 * day)
  const files = new ScriptedPapers()
  const input = { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' } as const
  const accountId = await store.write((tables) => createAccount(tables, clock, input))
  const put = async (id: string, createdAt: number, more: Partial<Fax> = {}) => {
    const known = { accountId, id, userId: 'w0', faxlineId: 'f9', sender: '+49301', recipient: '+49302', owner: undefined }
    const fax: Fax = { ...incomingFax(known, createdAt), state: 'RECEIVED', ...more }
    await store.write(async (tables) => {
      await tables.faxes.insert(fax)
      await tables.history.insert(accountId, outgoingEntry(fax, { alias: '' }))
    })
    await files.write({ accountId, faxId: id, kind: 'document' }, Buffer.from(id))
  }
  const names = () => [...files.files.keys()].map((name) => name.split('/')[1] ?? '').toSorted((a, b) => a.localeCompare(b))
  const papers = async (id: string) => (await store.read.history.find(accountId, id))?.detail.papers
  /** Runs the queued jobs. */
  const work = async () => {
    const tasks = eraseFaxJobs({ store, clock, files })
    const lease = () => store.write((tables) => tables.jobs.lease(Object.keys(tasks), clock.now(), 10, 60_000))
    for (let jobs = await lease(); jobs.length > 0; jobs = await lease()) for (const job of jobs) await tasks[job.kind]?.(job.payload, job)
  }
  return { store, clock, files, accountId, put, names, papers, work }
}

for (const database of databases) {
  test(`${database}: erases expired faxes, except those in progress, and keeps the history`, async (t) => {
    const { store, clock, files, accountId, put, names, papers } = await openFileStore(t, database)
    await put('old', clock.now() - 90 * day - 1)
    for (let count = 0; count < 100; count++) await put(`slow-${count}`, clock.now() - 91 * day, { state: 'SENDING' })
    await put('young', clock.now() - 90 * day + 1)
    const sweep = async (retentionDays: number) => {
      for (const { work } of faxSweeps({ store, clock, wallClock: clock, files, retentionDays }).slice(0, 1)) await work()
    }
    await sweep(0)
    assert.equal(names().length, 102)
    await sweep(90)
    assert.deepEqual([names().length, names().includes('old'), names().at(-1)], [101, false, 'young'])
    assert.equal(await store.read.faxes.find(accountId, 'old'), undefined)
    assert.deepEqual([await papers('old'), (await papers('young'))?.length], [undefined, 2])
    assert.equal((await store.read.history.find(accountId, 'old'))?.detail.faxStatusType, 'RECEIVED')
  })

  test(`${database}: erases orphaned files after a day`, async (t) => {
    const { store, clock, files, accountId, put, names } = await openFileStore(t, database)
    await put('known', 1)
    await files.write({ accountId, faxId: 'stray', kind: 'pages' }, Buffer.from('stray'))
    for (const { work } of faxSweeps({ store, clock, wallClock: clock, files, retentionDays: 0 })) await work()
    assert.deepEqual(names(), ['known'])
  })

  test(`${database}: erases all faxes of an account, and those of a user except group faxes`, async (t) => {
    const { store, clock, accountId, put, names, papers, work } = await openFileStore(t, database)
    const group = await store.write(async (tables) => {
      const owner = await tables.groups.create(accountId, {
        alias: 'Sales',
        strategy: 'PARALLEL',
        ringSeconds: 20,
        departmentId: undefined,
        at: 1,
      })
      return tables.faxlines.create(accountId, { owner, alias: 'Sales', at: 1 })
    })
    await put('own', 1)
    await put('shared', 1, { faxlineId: group })
    const entries = await store.read.history.list(accountId, {}, { limit: 10 })
    await store.write((tables) => eraseFaxesOf(tables, clock, accountId, entries))
    await work()
    assert.deepEqual([names(), await papers('own'), (await papers('shared'))?.length], [['shared'], undefined, 2])
    for (let count = 0; count < 120; count++) await put(`more-${count}`, 1)
    await store.write((tables) => eraseFaxesOfAccount(tables, accountId, clock.now()))
    await work()
    assert.deepEqual(names(), [])
  })
}
