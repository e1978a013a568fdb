import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, openTestStore } from '#test/store/databases.ts'
import { ScriptedPapers } from '#test/ports/scripted-papers.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { openVault } from '#adapters/vault/file-vault.ts'
import type { Mail } from '../ports/outbound.ts'
import { deliverMail, queueMail } from './queue-mail.ts'

for (const database of databases) {
  test(`${database}: seals a queued mail in the database and delivers it complete`, async (t) => {
    const store = await openTestStore(t, database)
    const clock = new VirtualClock()
    const vault = await openVault({ key: Buffer.alloc(32, 7).toString('base64'), file: '/nonexistent' })
    const values = { link: 'https://example.com/secret-link', minutes: '30' }
    const order = { to: 'ada@example.com', locale: 'en_US', template: 'password_reset', values } as const
    await store.write((tables) => queueMail(tables, { clock, vault }, order))
    const [waiting] = await store.write(({ outbox }) => outbox.lease(['mail'], clock.now(), 1, 1))
    assert.ok(waiting)
    assert.doesNotMatch(JSON.stringify(waiting), /secret-link|ada@example/)
    const sent: Mail[] = []
    await deliverMail(vault, { send: async (mail) => void sent.push(mail) }, new ScriptedPapers())(waiting.payload, waiting)
    assert.equal(sent[0]?.to, 'ada@example.com')
    assert.match(sent[0]?.text ?? '', /secret-link/)
  })

  test(`${database}: attaches the fax document as of delivery; sends the mail alone when it is missing or too large`, async (t) => {
    const store = await openTestStore(t, database)
    const clock = new VirtualClock()
    const vault = await openVault({ key: Buffer.alloc(32, 7).toString('base64'), file: '/nonexistent' })
    const papers = new ScriptedPapers()
    const fax = { accountId: '1234567', faxId: 'fax' }
    const values = { caller: '+49301', called: '+49302', pages: '1' }
    await store.write((tables) =>
      queueMail(tables, { clock, vault }, { to: 'ada@example.com', locale: 'en_US', template: 'fax', values, fax }),
    )
    const [waiting] = await store.write(({ outbox }) => outbox.lease(['mail'], clock.now(), 1, 1))
    assert.ok(waiting)
    const sent: Mail[] = []
    const deliver = deliverMail(vault, { send: async (mail) => void sent.push(mail) }, papers)
    await deliver(waiting.payload, waiting)
    await papers.write({ ...fax, kind: 'document' }, Buffer.from('%PDF'))
    await deliver(waiting.payload, waiting)
    await papers.write({ ...fax, kind: 'document' }, Buffer.alloc(11 * 1024 * 1024))
    await deliver(waiting.payload, waiting)
    assert.deepEqual(
      sent.map(({ attachment }) => attachment && [attachment.name, Buffer.from(attachment.content).toString()]),
      [undefined, ['fax.pdf', '%PDF'], undefined],
    )
  })
}
