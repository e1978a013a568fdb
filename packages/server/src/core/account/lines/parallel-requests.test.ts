import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiError } from '@offhook/sdk/client-of.ts'
import { addSmsRoute } from '#test/sms/scripted-sms-route.ts'
import { bothDatabases, startWorld } from '#test/world/world.ts'

const eight = Array.from({ length: 8 }, (_, index) => index)

/** Sends eight concurrent requests and expects this many to succeed; returns the rejections. */
const race = async (allowed: number, request: (index: number) => Promise<unknown>) => {
  const results = await Promise.allSettled(eight.map(request))
  const refused = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as ApiError] : []))
  assert.equal(results.length - refused.length, allowed, refused.map(({ message }) => message).join())
  return refused
}

for (const database of bothDatabases) {
  test(`${database}: enforces limits under concurrent requests`, async (t) => {
    const world = await startWorld(t, { database })
    addSmsRoute(world)
    const ada = await world.newAccount()
    const { accountId, userId } = ada
    const greeting = { audio: '', durationMs: 1, active: false, at: 0 }
    await world.write(async (tables) => {
      const one = { type: 'CALL', endpointId: 'p0', via: 'EMAIL', direction: 'ALL' } as const
      for (let n = 0; n < 48; n++) await tables.notifications.insert(accountId, userId, { ...one, recipient: `${n}@example.com` })
      for (let n = 0; n < 18; n++) await tables.voicemails.insertGreeting(accountId, 'v0', { ...greeting, alias: `${n}`, active: n === 0 })
      for (let n = 0; n < 18; n++)
        await tables.smsLines.awaitCode(accountId, 's0', `+49151123456${10 + n}`, { hash: 'none', expiresAt: world.clock.now() })
      const forwarding = { alias: 'x', destination: '+4921112345678', active: true }
      for (let n = 0; n < 8; n++) await tables.phonelines.insertParallelForwarding(accountId, 'p0', forwarding)
      for (let n = 1; n < 48; n++) await tables.phonelines.create(accountId, { owner: userId, alias: 'x', at: 0 })
      const group = { alias: 'x', strategy: 'PARALLEL', ringSeconds: 20, departmentId: undefined, at: 0 } as const
      for (let n = 0; n < 198; n++) await tables.groups.create(accountId, group)
      for (let n = 0; n < 98; n++) await tables.devices.insert(accountId, { owner: userId, alias: 'x', type: 'MOBILE', at: 0 })
    })
    const line = { userId, phonelineId: 'p0' }
    const notification = { type: 'CALL', endpointId: 'p0', via: 'EMAIL', direction: 'ALL' } as const
    const refusals = [
      ...(await race(2, (n) => ada.api.createNotification({ userId }, { ...notification, recipient: `new${n}@example.com` }))),
      ...(await race(2, (n) => ada.api.createGreeting({ voicemailId: 'v0' }, { alias: `new${n}`, base64Content: wav }))),
      ...(await race(2, (n) => ada.api.createSmsCallerId({ userId, smsId: 's0' }, { phonenumber: `+4915112345${n}99` }))),
      ...(await race(2, (n) => ada.api.createParallelForwarding(line, { alias: 'x', destination: `+4921112345${n}99` }))),
      ...(await race(2, () => ada.api.createPhoneline({ userId }, { alias: 'x' }))),
      ...(await race(2, () => ada.api.createGroup({}, { alias: 'x' }))),
      ...(await race(2, () => ada.api.createMobileDevice({ userId }, { alias: 'x' }))),
    ]
    for (const { body, message } of refusals) assert.ok(body.code === 'conflict' || body.code === 'device_limit_reached', message)
  })

  test(`${database}: enforces rules between resources under concurrent requests`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const { accountId, userId } = ada
    await race(8, (n) => ada.api.createGreeting({ voicemailId: 'v0' }, { alias: `${n}`, base64Content: wav }))
    const greetings = (await ada.api.listGreetings({ voicemailId: 'v0' })).items
    assert.equal(greetings.filter(({ active }) => active).length, 1)
    await race(8, (n) => ada.api.changeGreeting({ voicemailId: 'v0', greetingId: greetings[n]?.id ?? '' }, { active: true }))

    const senders = await world.write(async ({ smsLines }) => {
      const ids = []
      for (const n of eight) ids.push(await smsLines.awaitCode(accountId, 's0', `+49151123456${10 + n}`, { hash: 'none', expiresAt: 1 }))
      for (const id of ids) await smsLines.markVerified(accountId, 's0', id ?? 0, 1)
      return ids
    })
    const sms = { userId, smsId: 's0' }
    await race(8, (n) => ada.api.changeSmsCallerId({ ...sms, callerIdId: String(senders[n]) }, { defaultNumber: true }))
    assert.equal((await ada.api.listSmsCallerIds(sms)).items.filter(({ defaultNumber }) => defaultNumber).length, 1)

    for (let n = 0; n < 7; n++) await ada.api.createPhoneline({ userId }, { alias: `Line ${n}` })
    const refused = await race(7, (n) =>
      ada.api.replaceForwardings(
        { userId, phonelineId: `p${n}` },
        { forwardings: [{ destination: `p${(n + 1) % 8}`, timeout: 5, active: true }] },
      ),
    )
    assert.equal(refused[0]?.body.code, 'forwarding_loop')

    const { id: groupId } = await ada.api.createGroup({}, { alias: 'Sales' })
    await Promise.all([
      ada.api.changeGroup({ groupId }, { members: [userId] }),
      ...eight.map(() => ada.api.createRegisterDevice({ userId }, { alias: 'Desk' })),
    ])
    assert.equal((await ada.api.listGroupDevices({ groupId })).items.length, 8)
  })
}

const wav = (() => {
  const header = Buffer.from('UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAA=', 'base64')
  return Buffer.concat([header, Buffer.alloc(2)]).toString('base64')
})()
