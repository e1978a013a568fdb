import assert from 'node:assert/strict'
import { createECDH, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import { talkFrameBytes } from '@offhook/contract/v3/talks.ts'
import { WebSocket } from 'ws'
import { openBrowser, withoutAddresses } from '#test/phones/browser-peer.ts'
import { PageClient } from '#test/phones/page-client.ts'
import { startCluster } from '#test/service/cluster.ts'
import { startWorld, type Person } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const formats = [{ payloadType: 8, encoding: 'PCMA/8000' }]

const newSubscription = () => {
  const p256dh = createECDH('prime256v1').generateKeys().toString('base64url')
  return {
    endpoint: 'https://fcm.googleapis.com/fcm/send/abc',
    keys: { p256dh, auth: randomBytes(16).toString('base64url') },
    language: 'en',
  }
}

const deviceOf = async ({ api, userId }: Person) => api.putBrowserDevice({ userId })

test('turns one page into a phone per ticket, online while it is open', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { url, deviceId, expiresAt } = await ada.api.openPhone()
  assert.equal(Date.parse(expiresAt), world.clock.now() + 30_000)
  await assert.rejects(PageClient.open(t, url.replace(deviceId, 'e7')), /403/)
  await assert.rejects(PageClient.open(t, url, { origin: 'https://elsewhere.example' }), /403/)
  const page = await PageClient.open(t, url, { headers: { 'user-agent': 'Firefox/140' } })
  await assert.rejects(PageClient.open(t, url), /403/, 'it was used')
  const { id, online, pages } = await deviceOf(ada)
  assert.deepEqual([id, online, pages.map(({ program, visible }) => [program, visible])], [deviceId, true, [['Firefox/140', true]]])
  page.send({ type: 'visible', value: false })
  page.socket.send('{"type":"dance"}')
  assert.match((await page.onEvent('problem')).message, /^type .*dial/)
  page.socket.send('{"type":"dial","callId":"a b","to":"1","sdp":"v=0"}')
  assert.match((await page.onEvent('problem')).message, /callId/)
  assert.deepEqual(
    (await deviceOf(ada)).pages.map(({ visible }) => visible),
    [false],
  )
  const late = (await ada.api.openPhone()).url
  await world.clock.advance(31_000)
  await assert.rejects(PageClient.open(t, late), /403/)
  page.socket.close()
  await page.closed
  assert.equal((await deviceOf(ada)).online, false)
  const bob = await world.newUser(ada.accountId)
  const session = await PageClient.open(t, (await bob.api.openPhone()).url)
  await world.write(({ tokens }) => tokens.removeByUser(bob.accountId, bob.userId))
  await world.clock.advance(31_000)
  assert.equal(await session.closed, 1008, 'logged out elsewhere')
})

test('limits a user to ten pages, and push subscriptions to known push services', async (t) => {
  const world = await startWorld(t)
  const { api } = await world.newAccount()
  const pages: PageClient[] = []
  for (let nth = 0; nth < 10; nth++) pages.push(await PageClient.open(t, (await api.openPhone()).url))
  await assert.rejects(api.openPhone(), { status: 409 })
  const [loud] = pages
  for (let nth = 0; nth < 250; nth++) loud?.send({ type: 'visible', value: true })
  assert.equal(await loud?.closed, 1008, 'it said too much')
  await api.openPhone()

  const { key } = await api.getPushKey()
  assert.match(key ?? '', /^B[\w-]{86}$/)
  assert.equal((await api.getPushKey()).key, key)
  const { keys, endpoint: google } = newSubscription()
  const at = (endpoint: string, wrong = {}) => api.subscribePush({}, { endpoint, keys: { ...keys, ...wrong }, language: 'en' })
  for (const refused of ['https://evil.example/x', 'http://fcm.googleapis.com/x', 'https://fcm.googleapis.com.evil.example/x', 'nonsense'])
    await assert.rejects(at(refused), withCode('push_endpoint_refused'))
  await assert.rejects(at(google, { p256dh: 'AAAA' }), { status: 400 })
  const { id: subscriptionId } = await at(google)
  assert.equal((await at(google)).id, subscriptionId)
  await api.unsubscribePush({ subscriptionId })
  await assert.rejects(api.unsubscribePush({ subscriptionId }), { status: 404 })
  await assert.rejects(api.declinePhoneCall({}, { ticket: 'made up' }), { status: 403 })
})

test('calls a page at one node from another, with audio between them', async (t) => {
  const cluster = await startCluster(t, { processes: 2 })
  const { admin, processes, clock } = cluster
  const bob = await (processes[0] ?? assert.fail()).newUser(admin.accountId)
  const caller = await PageClient.open(t, (await admin.api.openPhone()).url)
  const there = new URL((await bob.api.openPhone()).url)
  there.host = new URL(processes[1]?.url ?? '').host
  const callee = await PageClient.open(t, there.href)
  await clock.advance(0)
  const device = await deviceOf(bob)
  assert.deepEqual([device.online, device.pages.length], [true, 1], 'every process knows')

  const [one, other] = [openBrowser(t, formats), openBrowser(t, formats)]
  caller.send({ type: 'dial', callId: 'out', to: device.id, sdp: withoutAddresses(await one.describe('offer')) })
  const { callId, from } = await callee.onEvent('ring')
  assert.ok(from.name)
  const { coreCallId } = await callee.onEvent('call')
  callee.send({ type: 'ringing', callId })
  await caller.onEvent('ringing')
  callee.send({ type: 'accept', callId, sdp: withoutAddresses(await other.describe('offer')) })
  one.connection.setRemoteDescription((await caller.onEvent('media')).sdp, 'answer')
  other.connection.setRemoteDescription((await callee.onEvent('media')).sdp, 'answer')
  one.talk(600)
  other.talk(900)
  await Promise.all([one.hears(900), other.hears(600)])
  assert.deepEqual(
    (await cluster.api(1).listCalls()).data.map((call) => call.callId),
    [coreCallId],
  )
  callee.send({ type: 'sound', callId })
  const { path } = await callee.onEvent('sound')
  const sound = new WebSocket(`ws://${there.host}${path}`)
  t.after(() => sound.terminate())
  const [frame] = (await once(sound, 'message')) as [Buffer]
  assert.equal(frame.length, talkFrameBytes, 'the process of the page passes the sound on')
  const [refusal] = (await once(new WebSocket(`ws://${there.host}${path}`), 'error')) as [Error]
  assert.match(refusal.message, /403/, 'once')
  callee.socket.close()
  assert.deepEqual([(await caller.onEvent('ended')).by, (await deviceOf(bob)).online], ['us', false])
  const { id: subscriptionId } = await bob.api.subscribePush({}, newSubscription())
  assert.equal((await deviceOf(bob)).online, true, 'a browser that can be notified can be reached')
  await bob.api.unsubscribePush({ subscriptionId })
  assert.equal((await deviceOf(bob)).online, false)
})
