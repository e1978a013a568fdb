import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, openTestStore } from '#test/store/databases.ts'
import { emptyPdf, ScriptedPapers } from '#test/ports/scripted-papers.ts'
import { ScriptedRecordings } from '#test/ports/scripted-recordings.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { withCode } from '#test/http/with-code.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import { mayRecord } from '#core/telephone/recordings/recording-room.ts'
import { incomingFax } from '../state/new-fax.ts'
import { boundedPrinter } from './bounded-printer.ts'

for (const database of databases) {
  test(`${database}: counts finished faxes and rejects documents of an account over its quota`, async (t) => {
    const store = await openTestStore(t, database)
    const files = new ScriptedPapers()
    const recordings = new ScriptedRecordings()
    const printer = boundedPrinter({ store, files, printer: files, mayRecord: mayRecord(store, recordings, 20) })
    const input = { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' } as const
    const accountId = await store.write((tables) => createAccount(tables, new VirtualClock(1), input))
    const put = async (id: string) => {
      const known = { accountId, id, userId: 'w0', faxlineId: 'f0', sender: '+49301', recipient: '+49302', owner: undefined }
      await store.write((tables) => tables.faxes.insert(incomingFax(known, 1)))
      return { accountId, faxId: id }
    }
    const pdf = Buffer.from(emptyPdf(1), 'base64')
    const another = { accountId, faxId: 'another' }
    const received = await put('received')
    await files.write({ ...received, kind: 'pages' }, new Uint8Array(4))
    assert.deepEqual(await printer.bind(received), { pages: 4, preview: true })
    assert.equal(await store.read.faxes.totalBytes(accountId), 12)
    await printer.render(another, pdf)
    const sent = await put('sent')
    await printer.report(sent, { title: 'Fax sent', lines: [] })
    assert.equal(await store.read.faxes.totalBytes(accountId), 20)
    await assert.rejects(printer.render(another, pdf), withCode('conflict'))
    assert.deepEqual(await printer.bind(received), { pages: 4, preview: true }, 'what came is kept')
    await store.write((tables) => tables.faxes.remove(accountId, 'received'))
    await printer.render(another, pdf)
    recordings.disk = { bytes: 100, free: 0 }
    await assert.rejects(printer.render(another, pdf), withCode('unavailable'))
  })
}
