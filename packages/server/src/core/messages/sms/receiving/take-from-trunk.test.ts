import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { openSmsFixture, outsideNumber } from '#test/sms/sms-fixture.ts'
import { takeFromTrunk } from './take-from-trunk.ts'

for (const database of databases) {
  test(`${database}: stores a trunk's message once in the addressee's history`, async (t) => {
    const fixture = await openSmsFixture(t, database, { routes: [] })
    const ada = await fixture.newWriter()
    const take = takeFromTrunk(fixture.deps)
    const message = { sender: outsideNumber, recipient: ada.number, text: 'Hello 👋', id: randomUUID() }
    for (const _ of [1, 2, 3]) await take(message)
    await take({ ...message, sender: undefined, text: 'Guess', id: randomUUID() })
    const entries = await fixture.history(ada)
    assert.deepEqual(
      entries.map(({ direction, source, target, detail }) => `${direction} ${source} ${target}: ${detail.smsContent}`).toSorted(),
      [`INCOMING ${outsideNumber} ${ada.number}: Hello 👋`, `INCOMING anonymous ${ada.number}: Guess`].toSorted(),
    )
    assert.equal(fixture.programNews.at(-1), ada.smsId)
    for (const recipient of [outsideNumber, 'e1', '', '112'])
      await assert.rejects(take({ ...message, recipient, id: randomUUID() }), { code: 'callee_invalid' })
  })
}
