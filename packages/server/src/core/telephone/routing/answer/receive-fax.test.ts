import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { bothDatabases, databases, type Database } from '#test/store/databases.ts'
import { anonymousCaller, openExchange, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import { recoverParts } from '#test/routing/lost-calls.ts'
import { recoverAll } from '#core/telephone/call/takeover/end-lost-call.ts'
import { keepFaxJobs } from '#core/messages/fax/receiving/keep-fax.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { text } from '#core/kernel/translations/index.ts'

const faxNumber = '+4930555777'

/** Ada has a fax line with its own number. */
const open = async (t: TestContext, database: Database = 'sqlite') => {
  const exchange = await openExchange(t, { database })
  const ada = await exchange.newCustomer()
  const { store } = exchange
  const [faxline] = await store.read.faxlines.listByOwner(ada.accountId, ada.userId)
  const faxlineId = faxline?.id ?? assert.fail('no fax line')
  const number = { id: 'fax-number', e164: faxNumber, type: 'LANDLINE', state: 'ACTIVE', endpointId: faxlineId, createdAt: 1 } as const
  assert.ok(await store.write((tables) => tables.numbers.insert(ada.accountId, number)))
  return { exchange, ada, faxlineId }
}

/** Runs the job that stores received faxes. */
const keep = async ({ store, clock, papers: files }: Exchange): Promise<number> => {
  const tasks = keepFaxJobs({ store, clock, files, printer: files, wake: () => {} })
  const jobs = await store.write((tables) => tables.jobs.lease(Object.keys(tasks), clock.now(), 10, 1))
  for (const job of jobs) await tasks[job.kind]?.(job.payload, job)
  return jobs.length
}

/** The engine writes this many pages into the given file. */
const writePages = ({ papers }: Exchange, { fax }: ScriptedLeg, pages: number): void =>
  void papers.files.set(fax?.paper?.file ?? assert.fail('no fax is received'), new Uint8Array(pages))

const entriesOf = async (exchange: Exchange, ada: Customer) =>
  (await exchange.history(ada)).map(({ type, direction, source, target, detail }) => ({ type, direction, source, target, ...detail }))

for (const database of databases) {
  test(`${database}: answers as a fax machine on a fax line’s number and stores the pages`, async (t) => {
    const { exchange, ada, faxlineId } = await open(t, database)
    const caller = await exchange.callIn(faxNumber)
    assert.equal(caller.fax?.paper?.station, faxNumber)
    await exchange.seconds(60)
    writePages(exchange, caller, 2)
    caller.fax?.confirms()
    caller.fax?.confirms()
    caller.fax?.completes()
    await exchange.rest()
    assert.deepEqual(exchange.lastEnd?.reason, 'callee_hangup')
    assert.equal(await keep(exchange), 1)
    const { id, connectionIds, userId, status, sourceAlias } = await exchange.entry(ada)
    assert.deepEqual([connectionIds, userId, status, sourceAlias], [[faxlineId], ada.userId, 'PICKUP', '+49 30 1'])
    assert.deepEqual(await entriesOf(exchange, ada), [
      {
        type: 'FAX',
        direction: 'INCOMING',
        source: outsideNumber,
        target: faxNumber,
        faxStatusType: 'SENT',
        pageCount: 2,
        bitRate: 14_400,
        papers: ['document', 'preview'],
      },
    ])
    const fax = await exchange.store.read.faxes.find(ada.accountId, id)
    assert.deepEqual([fax?.state, fax?.pages, fax?.owner, fax?.carriedBy], ['RECEIVED', 2, undefined, 't38'])
    assert.equal(await keep(exchange), 0)
  })
}

for (const database of bothDatabases) {
  test(`${database}: stores the received pages by another node when the receiving one dies`, async (t) => {
    const { exchange, ada } = await open(t, database)
    const caller = await exchange.callIn(faxNumber)
    await exchange.seconds(40)
    writePages(exchange, caller, 1)
    exchange.crash()
    const onFailure = (error: unknown): void => assert.fail(String(error))
    await recoverAll({ ...recoverParts(exchange), onFailure }, 'another')
    assert.equal(await keep(exchange), 1)
    const [entry, ...others] = await entriesOf(exchange, ada)
    assert.equal(others.length, 0, 'the call is told of by the fax')
    assert.deepEqual([entry?.type, entry?.faxStatusType, entry?.pageCount, entry?.papers?.length], ['FAX', 'FAILED', 1, 2])
    assert.equal(entry?.faxReason, text('en_US', 'fax.reason.service_failure'))
  })
}

test('stores the pages received before the call was cut off, and reports it as incomplete', async (t) => {
  const { exchange, ada } = await open(t)
  const caller = await exchange.callIn(faxNumber, { caller: anonymousCaller })
  writePages(exchange, caller, 3)
  for (let page = 0; page < 3; page++) caller.fax?.confirms()
  caller.hangsUp()
  await exchange.rest()
  await keep(exchange)
  const [entry] = await entriesOf(exchange, ada)
  assert.deepEqual([entry?.source, entry?.faxStatusType, entry?.pageCount], ['anonymous', 'FAILED', 3])
  assert.equal(entry?.faxReason, text('en_US', 'fax.reason.interrupted'))
})

test('retries when confirmed pages are missing on disk', async (t) => {
  const { exchange, ada } = await open(t)
  const caller = await exchange.callIn(faxNumber)
  caller.fax?.confirms()
  caller.fax?.completes()
  await exchange.rest()
  await assert.rejects(keep(exchange), /not in this folder/)
  writePages(exchange, caller, 1)
  await exchange.seconds(1)
  assert.equal(await keep(exchange), 1)
  assert.equal((await exchange.entry(ada)).detail.pageCount, 1)
})

test('defers the job instead of giving up after many failed attempts to store pages', async (t) => {
  const { exchange } = await open(t)
  const caller = await exchange.callIn(faxNumber)
  caller.fax?.confirms()
  caller.fax?.completes()
  await exchange.rest()
  const { store, clock, papers: files } = exchange
  const tasks = keepFaxJobs({ store, clock, files, printer: files, wake: () => {} })
  const [job = assert.fail('no job')] = await store.write((tables) => tables.jobs.lease(Object.keys(tasks), clock.now(), 10, 1))
  await assert.rejects(async () => tasks[job.kind]?.(job.payload, { ...job, attempts: 9 }), { name: 'Error' })
  await assert.rejects(async () => tasks[job.kind]?.(job.payload, { ...job, attempts: 10 }), { name: 'NotYet' })
})

test('records an empty fax call as missed and leaves no file', async (t) => {
  const { exchange, ada } = await open(t)
  const caller = await exchange.callIn(faxNumber)
  caller.hangsUp()
  await exchange.rest()
  await keep(exchange)
  const [entry, ...others] = await entriesOf(exchange, ada)
  assert.equal(others.length, 0)
  assert.deepEqual([entry?.type, entry?.direction, entry?.faxStatusType, entry?.papers], ['FAX', 'MISSED_INCOMING', 'FAILED', undefined])
  assert.equal(exchange.papers.files.size, 0)
  assert.equal((await exchange.store.write(({ jobs }) => jobs.lease(['event.tell'], exchange.clock.now(), 10, 1))).length, 0)
})

test('records a call and a fax when the account calls its own fax line', async (t) => {
  const { exchange, ada, faxlineId } = await open(t)
  const machine = await exchange.callFrom(ada, faxNumber)
  writePages(exchange, machine, 1)
  machine.fax?.confirms()
  machine.fax?.completes()
  await exchange.rest()
  await keep(exchange)
  const entries = await exchange.history(ada)
  assert.deepEqual(entries.map(({ type, direction }) => `${type} ${direction}`).toSorted(), ['CALL OUTGOING', 'FAX INCOMING'])
  assert.deepEqual(entries.find(({ type }) => type === 'FAX')?.connectionIds, [faxlineId])
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })
})

test('does not answer a fax line without the fax library or without space', async (t) => {
  const { exchange, ada } = await open(t)
  const { telephony, recordings } = exchange
  const refused = async () => {
    const caller = await exchange.callIn(faxNumber)
    assert.deepEqual([caller.over?.by, caller.answered, caller.fax], ['us', false, undefined])
  }
  telephony.faxMissing = 'libspandsp2'
  await refused()
  telephony.faxMissing = undefined
  const { disk } = recordings
  recordings.disk = { ...disk, free: 0 }
  await refused()
  recordings.disk = disk
  assert.equal((await exchange.history(ada)).length, 2)
  assert.equal((await exchange.store.read.faxes.list(ada.accountId, 10)).length, 0)
})

test('stores the pages received so far when the service stops', async (t) => {
  const { exchange, ada } = await open(t)
  const caller = await exchange.callIn(faxNumber)
  writePages(exchange, caller, 1)
  caller.fax?.confirms()
  await exchange.callRouter.hangUpAll()
  await keep(exchange)
  const [entry] = await entriesOf(exchange, ada)
  assert.deepEqual([entry?.type, entry?.faxStatusType, entry?.pageCount], ['FAX', 'FAILED', 1])
})
