import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '#test/world/world.ts'
import { linphoneSettings } from '#core/account/devices/linphone-settings.ts'

const minute = 60_000

test('serves softphone settings once, for ten minutes, until the password changes', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const { id: deviceId, credentials } = await bob.api.createRegisterDevice({ userId: bob.userId }, { alias: 'Büro "1" & <2>' })
  const { url, expiresAt } = await bob.api.createSoftphoneLink({ deviceId })
  assert.equal(Date.parse(expiresAt) - world.clock.now() > 9 * minute, true)

  const changed = [
    url.replace(`/${deviceId}/`, '/e9/'),
    url.replace(/signature=(.)/, (_, first) => `signature=${first === '_' ? '-' : '_'}`),
    url.replace(bob.userId, ada.userId),
    url.split('?')[0] ?? '',
  ]
  for (const address of changed) assert.equal((await fetch(address)).status, 403, address)

  const [reply, ...others] = (await Promise.all([fetch(url), fetch(url), fetch(url)])).toSorted((one, other) => one.status - other.status)
  assert.deepEqual([reply?.status, ...others.map(({ status }) => status)], [200, 403, 403], 'it works once')
  assert.ok(reply)
  assert.match(reply.headers.get('content-type') ?? '', /^application\/xml/)
  assert.equal(reply.headers.get('cache-control'), 'no-store')
  const settings = await reply.text()
  assert.ok(settings.includes(`<entry name="passwd" overwrite="true">${credentials.password}</entry>`))
  assert.ok(settings.includes(`&quot;Büro 1 &amp; &lt;2&gt;&quot; &lt;sip:${credentials.username}@${credentials.outboundProxy}&gt;`))

  const unused = await bob.api.createSoftphoneLink({ deviceId })
  await bob.api.resetDevicePassword({ deviceId })
  assert.equal((await fetch(unused.url)).status, 403, 'the old code does not tell the new password')
  const seen = await ada.api.createSoftphoneLink({ deviceId })
  assert.equal((await fetch(seen.url)).status, 200, 'an administrator sees the devices of others')
  const fresh = await ada.api.createSoftphoneLink({ deviceId })
  await world.clock.advance(10 * minute)
  assert.equal((await fetch(fresh.url)).status, 403)
})

test('creates codes only for visible SIP phones', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const eve = await world.newAccount()
  const { id: deviceId } = await ada.api.createRegisterDevice({ userId: ada.userId }, { alias: 'Desk' })
  const external = await ada.api.createExternalDevice({ userId: ada.userId }, { alias: 'Cell', number: '+4915735554442' })
  await assert.rejects(bob.api.createSoftphoneLink({ deviceId }), { status: 403 })
  await assert.rejects(eve.api.createSoftphoneLink({ deviceId }), { status: 404 })
  await assert.rejects(ada.api.createSoftphoneLink({ deviceId: external.id }), { status: 400 })
  const { url } = await ada.api.createSoftphoneLink({ deviceId })
  await ada.api.deleteDevice({ deviceId })
  assert.equal((await fetch(url)).status, 403)
})

test('puts an IPv6 address in brackets', () => {
  const settings = linphoneSettings({ alias: 'A', username: 'u', password: 'p', host: '2001:db8::1', port: 5060 })
  assert.ok(settings.includes('&lt;sip:[2001:db8::1]:5060;transport=udp&gt;'))
  assert.ok(settings.includes('<entry name="domain" overwrite="true">2001:db8::1</entry>'))
})
