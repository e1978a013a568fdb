import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

for (const database of databases) {
  test(`${database}: sets the addresses of call webhooks`, async (t) => {
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
    assert.deepEqual(await ada.api.getSvcio(), { ...nothing, log: false, whitelist: null, format: 'form' })
    await assert.rejects(bob.api.getSvcio(), { status: 403 })

    const urls = { incomingUrl: 'https://user:secret@c.example/in?a=1', outgoingUrl: 'http://c.example' }
    await ada.api.setSvcio({}, { ...urls, log: true, whitelist: ['p0', 'p1'] })
    assert.deepEqual(await ada.api.getSvcio(), { ...urls, log: true, whitelist: ['p0', 'p1'], format: 'form' })
    await ada.api.setSvcio({}, { ...urls, outgoingUrl: '' })
    assert.deepEqual(
      await ada.api.getSvcio(),
      { ...urls, outgoingUrl: '', log: true, whitelist: ['p0', 'p1'], format: 'form' },
      'what is left out stays',
    )
    await ada.api.setSvcio({}, { ...nothing, log: false, whitelist: null })
    assert.deepEqual(await ada.api.getSvcio(), { ...nothing, log: false, whitelist: null, format: 'form' })
    await ada.api.setSvcio({}, { ...nothing, whitelist: [] })
    assert.deepEqual((await ada.api.getSvcio()).whitelist, [], 'nobody is not the same as everybody')
    const audit = await world.running.deps.store.read.audit.list(ada.accountId, { afterSeq: 0, limit: 20 })
    assert.equal(audit.filter(({ action }) => action === 'push.change').length, 4)
    assert.ok(!JSON.stringify(audit).includes('secret'))
  })

  test(`${database}: rejects invalid addresses and lines`, async (t) => {
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

  test(`${database}: manages signing secrets and serves the public key`, async (t) => {
    const world = await startWorld(t, { database })
    const [ada, eve] = [await world.newAccount(), await world.newAccount()]
    const bob = await world.newUser(ada.accountId)
    await assert.rejects(ada.api.createSvcioSecret(), withCode('feature_not_booked'))
    for (const { accountId } of [ada, eve]) await world.write((tables) => tables.accounts.bookFeature(accountId, 'SVCIO', 0))
    await assert.rejects(bob.api.createSvcioSecret(), { status: 403 })
    const first = await ada.api.createSvcioSecret()
    assert.match(first.secret, /^whsec_/)
    assert.deepEqual(await ada.api.listSvcioSecrets(), { items: [{ id: first.id, createdAt: first.createdAt }] })
    await world.clock.advance(1000)
    const second = await ada.api.createSvcioSecret()
    const until = new Date(world.clock.now() + 24 * 60 * 60 * 1000).toISOString()
    assert.deepEqual((await ada.api.listSvcioSecrets()).items, [
      { id: second.id, createdAt: second.createdAt },
      { id: first.id, createdAt: first.createdAt, expiresAt: until },
    ])
    await assert.rejects(eve.api.deleteSvcioSecret({ secretId: first.id }), { status: 404 })
    assert.deepEqual((await eve.api.listSvcioSecrets()).items, [])
    await world.clock.jump(24 * 60 * 60 * 1000)
    assert.deepEqual(
      (await ada.api.listSvcioSecrets()).items.map(({ id }) => id),
      [second.id],
    )
    await assert.rejects(ada.api.deleteSvcioSecret({ secretId: first.id }), withCode('secret_not_found'))
    await ada.api.deleteSvcioSecret({ secretId: second.id })
    await Promise.all(Array.from({ length: 7 }, () => ada.api.createSvcioSecret()))
    assert.equal((await ada.api.listSvcioSecrets()).items.length, 5, 'more do not sign at once')
    const audit = await world.running.deps.store.read.audit.list(ada.accountId, { afterSeq: 0, limit: 20 })
    const actions = audit.map(({ action }) => action).filter((action) => action.startsWith('push.secret'))
    assert.deepEqual([actions.length, actions[2]], [10, 'push.secret.delete'])
    assert.ok(!JSON.stringify(audit).includes('whsec'))

    const keys = await Promise.all([world.client().getSvcioPublicKey(), ada.api.getSvcioPublicKey()])
    assert.deepEqual(keys[0], keys[1])
    assert.equal(createPublicKey(keys[0].publicKey).asymmetricKeyDetails?.modulusLength, 2048)
    const { keys: published } = (await (await fetch(`${world.url}/v1/authorization/oauth/jwks`)).json()) as { keys: { kid: string }[] }
    assert.deepEqual(
      published.map(({ kid }) => kid),
      ['sig-1'],
      'it signs no tokens',
    )
  })
}
