import assert from 'node:assert/strict'
import { verify } from 'node:crypto'
import { test } from 'node:test'
import { startCustomer, waiting } from '#test/http/customer-endpoint.ts'
import { describableCall } from '#test/fixtures/push-fixture.ts'
import { databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'
import { queueAnswer, queueHangup } from '#core/telephone/push/notifications.ts'
import { openPush } from '#wiring/push.ts'

for (const database of databases) {
  test(`${database}: lists exchanges with an account’s software and repeats notifications`, async (t) => {
    const world = await startWorld(t, { database, settings: { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' } })
    const { running, clock } = world
    const ada = await world.newAccount()
    const eve = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    await assert.rejects(ada.api.listWebhookLog(), withCode('feature_not_booked'))
    await assert.rejects(ada.api.listUndeliveredNotices(), { status: 403 })
    for (const { accountId } of [ada, eve]) await world.write((tables) => tables.accounts.bookFeature(accountId, 'SVCIO', 0))
    await assert.rejects(bob.api.listWebhookLog(), { status: 403 })
    assert.deepEqual(await ada.api.listWebhookLog(), { items: [] })

    let status = 404
    const customer = await startCustomer(t, (_, response) => response.writeHead(status).end('<Response/>'))
    const address = `http://user:secret@${customer.address}`
    await ada.api.setSvcio({}, { incomingUrl: `${address}/in`, outgoingUrl: '', log: true })
    const call = describableCall(ada.accountId)
    const push = openPush({ ...running.deps, onError: (error) => assert.fail(String(error)) })
    await push.guide.begin(call, waiting)
    await push.close()
    const askedAt = clock.now()
    await clock.advance(1000)
    status = 410
    const followed = { call, onAnswer: `${address}/answer`, onHangup: `${address}/hangup`, answered: undefined }
    const at = clock.now()
    await world.write(async (tables) => {
      await queueAnswer(tables, followed, { answeringNumber: '+4930231250', user: undefined }, at)
      await queueHangup(tables, followed, { cause: 'normalClearing', answeringNumber: '+4930231250' }, at)
    })
    running.deps.wake()
    await clock.advance(5000)
    const { items } = await ada.api.listWebhookLog()
    assert.deepEqual(
      items.map(({ url, request }) => [url, /^event=\w+/.exec(request)?.[0]]),
      [
        [`http://${customer.address}/hangup`, 'event=hangup'],
        [`http://${customer.address}/answer`, 'event=answer'],
        [`http://${customer.address}/in`, 'event=newCall'],
      ],
      'the latest first; the end after the answer; no password',
    )
    assert.deepEqual(items[2], {
      created: new Date(askedAt).toISOString(),
      url: `http://${customer.address}/in`,
      request: customer.received[0]?.body,
      response: '<Response/>',
      xmlError: '',
      status: 404,
    })
    assert.equal((await ada.api.listWebhookLog({ limit: 1 })).items.length, 1)
    assert.deepEqual(await eve.api.listWebhookLog(), { items: [] })

    const { items: dead, totalCount } = await ada.api.listUndeliveredNotices()
    assert.deepEqual([totalCount, dead.map(({ event }) => event).toSorted()], [2, ['answer', 'hangup']])
    assert.deepEqual(await eve.api.listUndeliveredNotices(), { items: [], totalCount: 0 })
    const noticeId = dead.find(({ event }) => event === 'hangup')?.id ?? ''
    await assert.rejects(eve.api.redeliverNotice({ noticeId }), { status: 404 })
    await assert.rejects(bob.api.redeliverNotice({ noticeId }), { status: 403 })
    status = 200
    await ada.api.redeliverNotice({ noticeId })
    await running.idle()
    const { headers, body } = customer.received.at(-1) ?? assert.fail('nothing came')
    assert.match(body, /^event=hangup&cause=normalClearing&/)
    assert.equal(headers['webhook-id'], noticeId)
    assert.equal((await ada.api.listUndeliveredNotices()).totalCount, 1)
    await assert.rejects(ada.api.redeliverNotice({ noticeId }), { status: 404 })

    const { publicKey } = await world.client().getSvcioPublicKey()
    assert.ok(verify('sha256', Buffer.from(body), publicKey, Buffer.from(String(headers['x-svc-signature']), 'base64')))
  })
}
