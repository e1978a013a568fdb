import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const holder = { name: 'Ada', street: 'Chausseestr.', number: '1', postcode: '10115', city: 'Berlin', country: 'DE' }
const pdf = Buffer.from('%PDF-1.4 signed').toString('base64')

for (const database of databases)
  test(`${database}: uploads documents of a porting, lets the operator read them, and deletes them`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const [ada, eve] = [await world.newAccount(), await world.newAccount()]
    const input = { numbers: ['+493023125990'], holder, email: 'a@example.com' }
    const portingId = String((await ada.api.startPorting({}, input)).id)

    for (const base64Content of ['no base64 at all!', Buffer.from('a picture').toString('base64')])
      await assert.rejects(
        ada.api.addPortingDocument({ portingId }, { name: 'form', base64Content }),
        withCode('parameter_invalid', 'base64Content', 'PDF'),
      )
    const added = await ada.api.addPortingDocument({ portingId }, { name: 'Signed form.pdf', base64Content: pdf })
    assert.deepEqual([added.name, added.bytes], ['Signed form.pdf', 15])
    const documentId = added.id
    assert.deepEqual((await ada.api.listPortingDocuments({ portingId })).items, [added])

    await assert.rejects(eve.api.listPortingDocuments({ portingId }), { status: 404 })
    await assert.rejects(eve.api.deletePortingDocument({ portingId, documentId }), { status: 404 })
    await assert.rejects(eve.api.addPortingDocument({ portingId }, { name: 'x', base64Content: pdf }), { status: 404 })

    assert.deepEqual((await operator.readPorting({ portingId })).documents, [added])
    const seen = await operator.readPortingDocument({ portingId, documentId })
    assert.equal(Buffer.from(seen).toString(), '%PDF-1.4 signed')
    const actions = (await ada.api.listAccountAudit({})).items.map(({ action }) => action)
    assert.ok(actions.includes('porting.document_read'), actions.join())

    for (let nth = 2; nth <= 5; nth++) await ada.api.addPortingDocument({ portingId }, { name: `${nth}`, base64Content: pdf })
    await assert.rejects(ada.api.addPortingDocument({ portingId }, { name: '6', base64Content: pdf }), { status: 409 })
    await ada.api.deletePortingDocument({ portingId, documentId })
    await assert.rejects(ada.api.getPortingDocument({ portingId, documentId }), { status: 404 })
    assert.equal((await ada.api.listPortingDocuments({ portingId })).items.length, 4)
  })
