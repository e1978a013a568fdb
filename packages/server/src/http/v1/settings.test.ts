import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '../../../../../test/support/world.ts'

for (const database of databases) {
  test(`${database}: where calls are told to`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const nothing = { incomingUrl: '', outgoingUrl: '' }
    for (const refused of [() => ada.api.getSvcio(), () => ada.api.setSvcio({}, nothing)])
      await assert.rejects(refused(), (error: { status: number; body: { code: string } }) => {
        assert.deepEqual([error.status, error.body.code], [403, 'feature_not_booked'])
        return true
      })
    await world.write((tables) => tables.accounts.bookFeature(ada.accountId, 'SVCIO', 0))
    assert.deepEqual(await ada.api.getSvcio(), { ...nothing, log: false, whitelist: null })
    await assert.rejects(bob.api.getSvcio(), { status: 403 })

    const urls = { incomingUrl: 'https://user:secret@c.example/in?a=1', outgoingUrl: 'http://c.example' }
    await ada.api.setSvcio({}, { ...urls, log: true, whitelist: ['p0', 'p1'] })
    assert.deepEqual(await ada.api.getSvcio(), { ...urls, log: true, whitelist: ['p0', 'p1'] })
    await ada.api.setSvcio({}, { ...urls, outgoingUrl: '' })
    assert.deepEqual(await ada.api.getSvcio(), { ...urls, outgoingUrl: '', log: true, whitelist: ['p0', 'p1'] }, 'what is left out stays')
    await ada.api.setSvcio({}, { ...nothing, log: false, whitelist: null })
    assert.deepEqual(await ada.api.getSvcio(), { ...nothing, log: false, whitelist: null })
    await ada.api.setSvcio({}, { ...nothing, whitelist: [] })
    assert.deepEqual((await ada.api.getSvcio()).whitelist, [], 'nobody is not the same as everybody')
    const audit = await world.running.parts.store.read.audit.list(ada.accountId, { afterSeq: 0, limit: 20 })
    assert.equal(audit.filter(({ action }) => action === 'push.change').length, 4)
    assert.ok(!JSON.stringify(audit).includes('secret'))
  })

  test(`${database}: addresses and lines that cannot be`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const eve = await world.newAccount()
    await world.newUser(eve.accountId)
    await world.write((tables) => tables.accounts.bookFeature(ada.accountId, 'SVCIO', 0))
    const refuses = (body: Parameters<typeof ada.api.setSvcio>[1], field: string) =>
      assert.rejects(ada.api.setSvcio({}, body), (error: { status: number; body: { details: { field: string }[] } }) => {
        assert.deepEqual([error.status, error.body.details[0]?.field], [400, field])
        return true
      })
    for (const url of [
      'c.example/in',
      '/in',
      'ftp://c.example',
      'javascript:alert(1)',
      'https://',
      'https://c.example/#part',
      ' ',
      `https://c.example/${'x'.repeat(2048)}`,
    ]) {
      await refuses({ incomingUrl: url, outgoingUrl: '' }, 'incomingUrl')
      await refuses({ incomingUrl: '', outgoingUrl: url }, 'outgoingUrl')
    }
    for (const id of ['w0', 'v0', 'f0', 'p1', 'g0', ''])
      await refuses({ incomingUrl: '', outgoingUrl: '', whitelist: ['p0', id] }, 'whitelist/1')
    await refuses({ incomingUrl: '' } as { incomingUrl: string; outgoingUrl: string }, 'outgoingUrl')
  })
}
