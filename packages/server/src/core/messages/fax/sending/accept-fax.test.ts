import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { openFaxOffice } from '#test/routing/scripted-fax-office.ts'
import { withCode } from '#test/http/with-code.ts'

for (const database of databases)
  test(`${database}: limits an account to 500 pending faxes; finished ones do not count`, async (t) => {
    const office = await openFaxOffice(t, { database })
    const { store } = office.exchange
    const ada = await office.newSender()
    const bob = await office.newSender()
    const waiting = await office.fax(ada, await office.send(ada))
    const copies = Array.from({ length: 499 }, (_, index) => ({ ...waiting, id: `copy-${index}`, owner: undefined }))
    await store.write(async ({ faxes }) => {
      for (const copy of copies) await faxes.insert(copy)
      await faxes.insert({ ...waiting, id: 'over', state: 'SENT', owner: undefined })
      await faxes.insert({ ...waiting, id: 'came', direction: 'INCOMING', owner: undefined })
    })
    await assert.rejects(office.send(ada), withCode('rate_limited', '500'))
    await office.send(bob)
    await store.write(({ faxes }) => faxes.remove(ada.accountId, 'copy-0'))
    await office.send(ada)
  })
